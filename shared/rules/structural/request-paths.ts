import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { comesFrom, type LocalFlow, reachedWithoutGuard } from './local-flow.ts';

const TITLE = 'Path of a file comes from the request';
const EXPLANATION =
  'Path traversal: with `../` in the value, a client reaches files outside of the folder. Take only the base name, or resolve the path and check that it is still below the folder.';

const JAVASCRIPT_FLOW: LocalFlow = {
  functions: ['function_declaration', 'function_expression', 'arrow_function', 'method_definition'],
  identifier: 'identifier',
  composed: ['binary_expression', 'template_string', 'template_substitution', 'call_expression', 'arguments'],
  assigned: (name, value) => ({
    any: [
      {
        kind: 'variable_declarator',
        all: [{ has: { field: 'name', ...name } }, { has: { field: 'value', ...value } }],
      },
      {
        kind: 'assignment_expression',
        all: [{ has: { field: 'left', ...name } }, { has: { field: 'right', ...value } }],
      },
    ],
  }),
  converted: '\\bparse\\(|\\bnew URL\\(|\\bdecodeURI(Component)?\\(',
};
const JAVASCRIPT_SOURCE =
  '\\b_?(req|request|ctx|ctx\\.request)\\.(params|query|body|url|originalUrl|path)\\b|\\bsearchParams\\.get\\(';
const JAVASCRIPT_GUARD =
  '[\'"`/]\\.\\.[\'"`/]|\\\\\\.\\\\\\.|\\.{2}/|startsWith\\(|indexOf\\(([^\'"`)]|[\'"`](\\.\\.|/|\\\\))|basename\\(|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|validate|resolvePath|safeJoin)|\\broot:|\\bNumber\\(|parseInt\\(|isNaN\\(';

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
  {
    id: 'js-path-from-request',
    languages: ['JavaScript', 'TypeScript', 'Tsx'],
    severity: 'P1',
    blocking: true,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      kind: 'call_expression',
      all: [
        {
          has: {
            field: 'function',
            regex:
              '^((fs|FS|fsp|fse|fsPromises|fs\\.promises)\\.)?(readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|readdirSync)$|^(res|response|reply)\\.(sendFile|sendfile|download)$',
          },
        },
        reachedWithoutGuard(JAVASCRIPT_SOURCE, JAVASCRIPT_GUARD, JAVASCRIPT_FLOW),
        argument(comesFrom(JAVASCRIPT_SOURCE, JAVASCRIPT_FLOW)),
      ],
    },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "app.get('/files/:name', (req, res) => {\n  res.sendFile(path.join(folder, req.params.name));\n});\n",
        lines: [2],
      },
      {
        code: 'http.createServer(function (req, res) {\n  var uri = url.parse(req.url).pathname;\n  var file = path.join(root, uri);\n  fs.readFile(file, function (error, data) {\n    res.end(data);\n  });\n});\n',
        lines: [4],
      },
      {
        code: "http.createServer((req, res) => {\n  const given = req.url;\n  const name = decodeURIComponent(new URL(given, base).pathname);\n  let file = path.join(root, name);\n  if (file.indexOf('.html') === -1) file += '/index.html';\n  fs.createReadStream(file).pipe(res);\n});\n",
        lines: [6],
      },
      {
        code: "http.createServer((req, res) => {\n  const given = req.url;\n  const name = pages[given];\n  const file = path.join(root, name);\n  fs.createReadStream(file).pipe(res);\n});\nhttp.createServer((req, res) => {\n  const file = path.join(root, req.url);\n  if (file.indexOf(root) !== 0) return res.end();\n  fs.createReadStream(file).pipe(res);\n});\nhttp.createServer((req, res) => {\n  const file = path.join(root, req.url);\n  if (file.indexOf('..') >= 0) return res.end();\n  fs.createReadStream(file).pipe(res);\n});\n",
        lines: [],
      },
      {
        code: "app.get('/files/:name', (req, res) => {\n  const name = path.basename(req.params.name);\n  res.sendFile(path.join(folder, name));\n});\napp.get('/covers/:id', async (req, res) => {\n  const cover = await store.load(req.params.id);\n  res.sendFile(cover);\n});\napp.get('/feeds/:id', (req, res) => {\n  const cover = feeds.getCover(req.params.id);\n  res.sendFile(cover);\n});\napp.get('/logo', (req, res) => {\n  log(req.params.size);\n  res.sendFile(path.join(folder, 'logo.png'));\n});\napp.get('/f/:name', (req, res) => {\n  const file = path.resolve(folder, req.params.name);\n  if (!file.startsWith(folder)) return res.sendStatus(403);\n  fs.readFile(file, (error, data) => res.end(data));\n});\n",
        lines: [],
      },
    ],
  },
  {
    id: 'py-path-from-request',
    languages: ['Python'],
    severity: 'P1',
    blocking: true,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      kind: 'call',
      all: [
        {
          has: { field: 'function', regex: '^(open|send_file|FileResponse|os\\.remove|os\\.unlink|shutil\\.rmtree)$' },
        },
        reachedWithoutGuard(PYTHON_SOURCE, PYTHON_GUARD, PYTHON_FLOW),
        argument(comesFrom(PYTHON_SOURCE, PYTHON_FLOW)),
      ],
    },
    follows: true,
    where: 'production',
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
    severity: 'P1',
    blocking: true,
    title: TITLE,
    explanation: EXPLANATION,
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
        argument(comesFrom(GO_SOURCE, GO_FLOW)),
      ],
    },
    follows: true,
    where: 'production',
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
    severity: 'P1',
    blocking: true,
    title: TITLE,
    explanation: EXPLANATION,
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
                  ...comesFrom(JAVA_SOURCE, JAVA_FLOW, MAPPED),
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
                  ...comesFrom(JAVA_SOURCE, JAVA_FLOW, MAPPED),
                },
              },
            },
          ],
        },
      ],
      all: [reachedWithoutGuard(`${JAVA_SOURCE}|${MAPPED}`, JAVA_GUARD, JAVA_FLOW)],
    },
    follows: true,
    where: 'production',
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
