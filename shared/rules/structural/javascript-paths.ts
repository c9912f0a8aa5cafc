/** Paths of files that a client of a server chooses. */
import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { flowUtils, FROM_SOURCE, type LocalFlow, reachedWithoutGuard } from './local-flow.ts';

export const PATH_FACTS = {
  severity: 'P1',
  blocking: true,
  title: 'Path of a file comes from the request',
  explanation:
    'Path traversal: with `../` in the value, a client reaches files outside of the folder. Take only the base name, or resolve the path and check that it is still below the folder.',
  follows: true,
  where: 'production',
} as const;

const FUNCTIONS = ['function_declaration', 'function_expression', 'arrow_function', 'method_definition'];
const FLOW: LocalFlow = {
  functions: FUNCTIONS,
  identifier: 'identifier',
  composed: [
    'binary_expression',
    'template_string',
    'template_substitution',
    'call_expression',
    'arguments',
    'parenthesized_expression',
  ],
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
  partOf: (variable) => ({
    kind: 'member_expression',
    all: [
      { has: { field: 'property', regex: '^(path|pathname|query|search)$' } },
      { has: { field: 'object', ...variable } },
    ],
  }),
  converted: '\\bparse\\(|\\bnew URL\\(|\\bdecodeURI(Component)?\\(',
};
const SOURCE =
  '\\b_?(req|request|ctx|ctx\\.request)\\.(params|query|body|url|originalUrl|path)\\b|\\bsearchParams\\.get\\(';
const GUARD =
  '[\'"`/]\\.\\.[/\\\\]{0,2}[\'"`]|\\\\\\.\\\\\\.|startsWith\\(|indexOf\\(([^\'"`)]|[\'"`](\\.\\.|/|\\\\))|basename\\([^()]*(?i:url|uri|path|name|file|req|query|param)|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|validate|resolvePath|safeJoin)|\\broot:|\\bNumber\\(|parseInt\\(|isNaN\\(';

/** Another function of the file, such as the caller, looks at the path. */
const FILE_GUARD =
  '[\'"`/]\\.\\.[/\\\\]{0,2}[\'"`]|\\\\\\.\\\\\\.|startsWith\\([^\'"`]|indexOf\\(\\w*(?i:root|dir|folder|base)|basename\\(|\\.relative\\(|normalize\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|resolvePath|safeJoin)';
const SERVED_GUARD = 'startsWith\\(|indexOf\\([\\w$]+\\)|(?i:validate)|\\broot:';

const kinds = (names: readonly string[]): GrepNode => ({ any: names.map((kind) => ({ kind })) });
const named = (function_: string): GrepNode => ({
  any: [
    { has: { field: 'name', pattern: function_ } },
    {
      inside: {
        any: [
          { kind: 'variable_declarator', has: { field: 'name', pattern: function_ } },
          { kind: 'pair', has: { field: 'key', pattern: function_ } },
          {
            kind: 'assignment_expression',
            has: { field: 'left', any: [{ pattern: function_ }, { has: { field: 'property', pattern: function_ } }] },
          },
        ],
      },
    },
  ],
});
const parameter = (position: number, name: string): GrepNode => ({
  any: [
    {
      has: {
        field: 'parameters',
        has: { nthChild: position, any: [{ pattern: name }, { has: { field: 'pattern', pattern: name } }] },
      },
    },
    ...(position === 1 ? [{ has: { field: 'parameter', pattern: name } }] : []),
  ],
});
/** The function is called with a value of the request at that position, in the same file. */
const calledWithRequest = (position: number): GrepNode => ({
  inside: {
    stopBy: 'end',
    kind: 'program',
    has: {
      stopBy: 'end',
      kind: 'call_expression',
      all: [
        {
          has: { field: 'function', any: [{ pattern: '$CALLED' }, { has: { field: 'property', pattern: '$CALLED' } }] },
        },
        { has: { field: 'arguments', has: { nthChild: position, ...FROM_SOURCE } } },
        reachedWithoutGuard(SOURCE, GUARD, FLOW),
      ],
    },
  },
});
/** A parameter to which a value of the request is passed. */
const PASSED: GrepNode = {
  kind: 'identifier',
  pattern: '$PASSED',
  inside: {
    stopBy: 'end',
    ...kinds(FUNCTIONS),
    not: { regex: GUARD },
    all: [
      named('$CALLED'),
      { any: [1, 2, 3, 4].map((position) => ({ all: [parameter(position, '$PASSED'), calledWithRequest(position)] })) },
    ],
  },
};
const composedOf = (node: GrepNode): GrepNode => ({
  ...kinds(FLOW.composed),
  has: { stopBy: { not: kinds(FLOW.composed) }, ...node },
});
/** The node itself, an expression composed of it, or a variable of the same function with such a value. */
const madeOf = (node: GrepNode): GrepNode => ({
  any: [
    node,
    composedOf(node),
    {
      kind: 'identifier',
      pattern: '$MADE',
      inside: {
        stopBy: 'end',
        ...kinds(FUNCTIONS),
        has: {
          stopBy: 'end',
          ...FLOW.assigned({ kind: 'identifier', pattern: '$MADE' }, { any: [node, composedOf(node)] }),
        },
      },
    },
  ],
});

const FS = '(_?fs\\d?|FS|fsp|fse|fsPromises|fs\\.promises)';
const FILE_READ: GrepNode = {
  has: { field: 'function', regex: `^(${FS}\\.)?(readFile|readFileSync|createReadStream)$` },
};
const FILE_USED: GrepNode = {
  has: {
    field: 'function',
    regex: `^(${FS}\\.)?(readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|readdirSync)$|^(res|response|reply)\\.(sendFile|sendfile|download)$`,
  },
};
const firstArgument = (node: GrepNode): GrepNode => ({ has: { field: 'arguments', has: { nthChild: 1, ...node } } });
const PASSED_ON: GrepNode = firstArgument(madeOf({ matches: 'passed' }));
/** The engine limits how deep a rule may be. */
const UTILS = { ...flowUtils(SOURCE, FLOW), passed: PASSED };

/** The function, or one around it, sends something to the client. */
const SENDS: GrepNode = {
  inside: {
    stopBy: 'end',
    ...kinds(FUNCTIONS),
    regex:
      '\\b(res|resp|response|reply)\\.(write|end|send|writeHead|setHeader|set|header|status|type)\\b|\\.pipe\\((res|resp|response|reply)\\b',
  },
};
/** A parameter, or a property of one. */
const GIVEN: GrepNode = {
  any: [
    { kind: 'identifier', pattern: '$GIVEN' },
    { kind: 'member_expression', has: { field: 'object', kind: 'identifier', pattern: '$GIVEN' } },
  ],
  inside: {
    stopBy: 'end',
    ...kinds(FUNCTIONS),
    all: [{ any: [1, 2, 3, 4].map((position) => parameter(position, '$GIVEN')) }],
  },
};

export const JAVASCRIPT_PATH_RULES: readonly StructuralRule[] = [
  {
    id: 'js-path-from-request',
    languages: ['JavaScript', 'TypeScript', 'Tsx'],
    ...PATH_FACTS,
    utils: UTILS,
    rule: {
      kind: 'call_expression',
      all: [
        FILE_USED,
        {
          any: [{ all: [reachedWithoutGuard(SOURCE, GUARD, FLOW), firstArgument(FROM_SOURCE)] }, PASSED_ON],
        },
      ],
    },
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
      {
        code: "http.createServer((req, res) => {\n  const readPage = function (file) {\n    fs.readFile(file, (error, data) => res.end(data));\n  };\n  readPage(path.normalize(root + req.url));\n});\nexports.handle = (request, response) => {\n  const page = url.parse(request.url);\n  send(response, path.join(root, page.pathname));\n};\nfunction send(response, file) {\n  const full = path.resolve(file, 'index.html');\n  fs.createReadStream(full).pipe(response);\n}\n",
        lines: [3, 13],
      },
      {
        code: 'exports.handle = (request, response) => {\n  const file = path.join(root, request.url);\n  if (!file.startsWith(root)) return response.end();\n  send(response, file);\n  load(pages[0], request.url);\n};\nfunction send(response, file) {\n  fs.createReadStream(file);\n}\nfunction load(file, address) {\n  fs.readFile(file, (error, data) => log(address, data));\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'js-path-served',
    languages: ['JavaScript', 'TypeScript'],
    ...PATH_FACTS,
    utils: UTILS,
    severity: 'P2',
    blocking: false,
    title: 'File that is sent to a client is not checked to be in a folder',
    rule: {
      kind: 'call_expression',
      all: [
        FILE_READ,
        SENDS,
        firstArgument(madeOf(GIVEN)),
        { not: { any: [PASSED_ON, firstArgument(FROM_SOURCE)] } },
        { not: { inside: { stopBy: 'end', ...kinds(FUNCTIONS), regex: SERVED_GUARD } } },
        { not: { inside: { stopBy: 'end', kind: 'program', regex: FILE_GUARD } } },
      ],
    },
    examples: [
      {
        code: 'Server.stream = function (res, options) {\n  var file = options.file;\n  if (isNaN(options.start)) fs.createReadStream(file).pipe(res);\n};\n',
        lines: [3],
      },
      {
        code: 'const sendFile = (res, file) => {\n  fs.createReadStream(file).pipe(res);\n};\nresponse.send = function (options) {\n  fs.readFile(options.file, (error, data) => res.end(data));\n};\n',
        lines: [2, 5],
      },
      {
        code: "const sendFile = (res, file) => {\n  if (file.includes('..')) return res.end();\n  fs.createReadStream(file).pipe(res);\n};\n",
        lines: [],
      },
      {
        code: 'const sendLogo = (res) => {\n  fs.createReadStream(LOGO).pipe(res);\n};\nconst read = (file) => fs.readFileSync(file);\n',
        lines: [],
      },
      {
        code: 'const sendFile = (res, file) => {\n  fs.createReadStream(file).pipe(res);\n};\nconst handle = (res, name) => {\n  const file = path.resolve(root, name);\n  if (file.startsWith(root)) sendFile(res, file);\n};\n',
        lines: [],
      },
    ],
  },
];
