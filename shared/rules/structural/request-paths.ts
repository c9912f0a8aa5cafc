import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { JAVASCRIPT_PATH_RULES, PATH_FACTS } from './javascript-paths.ts';
import { flowUtils, FROM_SOURCE, type LocalFlow, reachedWithoutGuard } from './local-flow.ts';

const PYTHON_SOURCE =
  '\\brequest\\.(args|form|values|json|GET|POST|query_params|path_params|match_info)\\b|\\brequest\\.get_json\\(|\\.files\\[[^\\]]*\\]\\.filename\\b';
const PYTHON_GUARD =
  'secure_filename|basename|safe_join|normpath|realpath|abspath|is_relative_to|startswith|resolve\\(|["\']\\.\\.|(?i:sanitiz|allowed|validate|whitelist)| not in |\\bint\\(';
const PYTHON_FLOW: LocalFlow = {
  functions: ['function_definition'],
  identifier: 'identifier',
  composed: ['binary_operator', 'call', 'argument_list', 'string', 'interpolation'],
  assigned: (name, value) => ({
    kind: 'assignment',
    all: [{ has: { field: 'left', ...name } }, { has: { field: 'right', ...value } }],
  }),
};

const GO_SOURCE =
  '\\b(r|req|request)\\.(URL\\.Query\\(\\)\\.Get|FormValue|PostFormValue|PathValue)\\(|\\b(c|ctx)\\.(Param|Query|PostForm|QueryParam|FormValue)\\(|\\bchi\\.URLParam\\(|\\bmux\\.Vars\\(\\w+\\)\\[';
const GO_GUARD =
  '\\bBase\\(|Clean\\(|\\.Rel\\(|HasPrefix|IsLocal|SecureJoin|"\\.\\."|Atoi|ParseInt|(?i:sanitiz|allowed|valid|uuid)|OpenRoot';
const GO_FLOW: LocalFlow = {
  functions: ['function_declaration', 'method_declaration', 'func_literal'],
  identifier: 'identifier',
  composed: ['binary_expression', 'call_expression', 'argument_list'],
  assigned: (name, value) => ({
    any: ['short_var_declaration', 'assignment_statement'].map((kind) => ({
      kind,
      all: [
        { has: { field: 'left', has: { nthChild: 1, ...name } } },
        { has: { field: 'right', has: { nthChild: 1, ...value } } },
      ],
    })),
  }),
};

const JAVA_SOURCE = '\\.getParameter\\(|\\.getOriginalFilename\\(\\)';
/** A parameter that Spring fills from the request. */
const MAPPED = '@(RequestParam|PathVariable)\\b';
const JAVA_GUARD =
  '\\.getName\\(|normalize\\(|startsWith|getCanonical|toRealPath|FilenameUtils|cleanPath|"\\.\\.|UUID|(?i:sanitiz|allowed|valid)|parse(Int|Long)';
const JAVA_FLOW: LocalFlow = {
  functions: ['method_declaration'],
  identifier: 'identifier',
  composed: ['binary_expression', 'method_invocation', 'argument_list'],
  assigned: (name, value) => ({
    any: [
      {
        kind: 'variable_declarator',
        all: [{ has: { field: 'name', ...name } }, { has: { field: 'value', ...value } }],
      },
      {
        kind: 'formal_parameter',
        all: [{ regex: MAPPED }, { has: { field: 'name', ...name } }],
      },
    ],
  }),
};

const argument = (flow: GrepNode, position = 1): GrepNode => ({
  has: { field: 'arguments', has: { nthChild: position, ...flow } },
});

export const REQUEST_PATH_RULES: readonly StructuralRule[] = [
  ...JAVASCRIPT_PATH_RULES,
  {
    id: 'py-path-from-request',
    languages: ['Python'],
    ...PATH_FACTS,
    utils: flowUtils(PYTHON_SOURCE, PYTHON_FLOW),
    rule: {
      kind: 'call',
      all: [
        {
          has: { field: 'function', regex: '^(open|send_file|FileResponse|os\\.remove|os\\.unlink|shutil\\.rmtree)$' },
        },
        reachedWithoutGuard(PYTHON_SOURCE, PYTHON_GUARD, PYTHON_FLOW),
        argument(FROM_SOURCE),
      ],
    },
    examples: [
      {
        code: "def show():\n    name = request.args.get('name')\n    return send_file(os.path.join(FOLDER, name))\n\ndef read():\n    with open(FOLDER + request.args['name']) as f:\n        return f.read()\n",
        lines: [3, 6],
      },
      {
        code: "def show():\n    name = secure_filename(request.args.get('name'))\n    return send_file(os.path.join(FOLDER, name))\n\ndef read():\n    page = request.args.get('page')\n    with open(TEMPLATE) as f:\n        return f.read().format(page=page)\n",
        lines: [],
      },
    ],
  },
  {
    id: 'go-path-from-request',
    languages: ['Go'],
    ...PATH_FACTS,
    utils: flowUtils(GO_SOURCE, GO_FLOW),
    rule: {
      kind: 'call_expression',
      all: [
        {
          has: {
            field: 'function',
            regex: '^(os\\.(Open|OpenFile|ReadFile|Create|WriteFile|Remove|RemoveAll)|ioutil\\.ReadFile)$',
          },
        },
        reachedWithoutGuard(GO_SOURCE, GO_GUARD, GO_FLOW),
        argument(FROM_SOURCE),
      ],
    },
    examples: [
      {
        code: 'package a\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tname := r.URL.Query().Get("name")\n\tdata, err := os.ReadFile(filepath.Join(folder, name))\n\tuse(data, err)\n}\n',
        lines: [5],
      },
      {
        code: 'package a\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tname := filepath.Base(r.URL.Query().Get("name"))\n\tdata, err := os.ReadFile(filepath.Join(folder, name))\n\tuse(data, err)\n}\n\nfunc g(w http.ResponseWriter, r *http.Request) {\n\tsize := r.FormValue("size")\n\tdata, err := os.ReadFile(logo)\n\tuse(size, data, err)\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-path-from-request',
    languages: ['Java'],
    ...PATH_FACTS,
    utils: flowUtils(JAVA_SOURCE, JAVA_FLOW, MAPPED),
    rule: {
      any: [
        {
          kind: 'object_creation_expression',
          all: [
            { has: { field: 'type', regex: '^(File|FileInputStream|FileOutputStream|FileReader)$' } },
            {
              has: {
                field: 'arguments',
                has: {
                  nthChild: { position: 1, reverse: true },
                  ...FROM_SOURCE,
                },
              },
            },
          ],
        },
        {
          kind: 'method_invocation',
          all: [
            { has: { field: 'name', regex: '^(resolve|get|of)$' } },
            { any: [{ has: { field: 'name', regex: '^resolve$' } }, { has: { field: 'object', regex: '^Paths?$' } }] },
            {
              has: {
                field: 'arguments',
                has: {
                  nthChild: { position: 1, reverse: true },
                  ...FROM_SOURCE,
                },
              },
            },
          ],
        },
      ],
      all: [reachedWithoutGuard(`${JAVA_SOURCE}|${MAPPED}`, JAVA_GUARD, JAVA_FLOW)],
    },
    examples: [
      {
        code: 'class A {\n  void upload(MultipartFile file) throws IOException {\n    file.transferTo(new File(folder, file.getOriginalFilename()));\n  }\n  Resource load(@PathVariable String name) {\n    return new FileSystemResource(root.resolve(name));\n  }\n}\n',
        lines: [3, 6],
      },
      {
        code: 'class A {\n  void upload(MultipartFile file) throws IOException {\n    var name = Paths.get(file.getOriginalFilename()).getFileName().normalize();\n    file.transferTo(new File(folder, name.toString()));\n  }\n  Resource load(@PathVariable String name) {\n    log(name);\n    return new FileSystemResource(root.resolve("logo.png"));\n  }\n}\n',
        lines: [],
      },
    ],
  },
];
