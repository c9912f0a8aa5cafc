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
/** A test of the address itself chooses what to do with it. It does not look at the path of the file. */
const TESTED =
  '([^l]|[^rR]l|[^uU][rR]l)\\.(startsWith\\(|indexOf\\(([^\'"`)]|[\'"`](\\.\\.|/|\\\\)))|indexOf\\([\'"`]\\.\\.';
const CONVERTED = '\\b(Number|parseInt|isNaN)\\([^()]*(?i:params|query|body|id\\b|num|index|page)';
const GUARD = `['"\`/]\\.\\.[/\\\\]{0,2}['"\`]|\\\\\\.\\\\\\.|${TESTED}|${CONVERTED}|basename\\([^()]*(?i:url|uri|path|name|file|req|query|param)|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|[^e]validate|resolvePath|safeJoin)|\\broot:`;

/** Another function of the file, such as the caller, looks at the path. */
const FILE_GUARD =
  '[\'"`/]\\.\\.[/\\\\]{0,2}[\'"`]|\\\\\\.\\\\\\.|startsWith\\([^\'"`]|indexOf\\(\\w*(?i:root|dir|folder|base)|(basename|normalize)\\([^()]*(?i:url|uri|pathname|name|file|req|query|param)|\\.relative\\(|(?i:sanitiz|sanitis|isSafe|isInside|allowed|whitelist|resolvePath|safeJoin)';
const SERVED_GUARD = 'startsWith\\(|indexOf\\([\\w$]+\\)|(?i:[^e]validate)|\\broot:';

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
/** The text of the functions around the node mentions the request, and no check. */
const UNGUARDED: GrepNode = { matches: 'unguarded' };
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
        UNGUARDED,
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

const FS = '(_?fs\\d?|FS|Fs|fsp|fse|fsPromises|fs\\.promises)';
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
/** A property, to which a path with text of the request is assigned in the same file. */
const KEPT: GrepNode = {
  kind: 'member_expression',
  // In this order, because the second looks for the name that the first binds.
  all: [
    { has: { field: 'property', pattern: '$KEPT' } },
    {
      inside: {
        stopBy: 'end',
        kind: 'program',
        has: {
          stopBy: 'end',
          kind: 'assignment_expression',
          all: [
            { has: { field: 'left', kind: 'member_expression', has: { field: 'property', pattern: '$KEPT' } } },
            { has: { field: 'right', regex: 'path\\.(join|resolve|normalize)\\(|\\+', ...FROM_SOURCE } },
            UNGUARDED,
          ],
        },
      },
    },
  ],
};
/** Some packages read a file by its path and send it. */
const SENDS_FILE: GrepNode = {
  not: FILE_USED,
  has: { field: 'function', kind: 'identifier' },
  inside: { kind: 'member_expression', inside: { regex: '\\.pipe\\((res|resp|response|reply)\\)$' } },
};
/** The engine limits how deep a rule may be. */
const FROM_REQUEST = {
  ...flowUtils(SOURCE, FLOW),
  passed: PASSED,
  unguarded: reachedWithoutGuard(SOURCE, GUARD, FLOW),
};
const UTILS = { ...FROM_REQUEST, kept: KEPT };

/** The function, or one around it, sends something to the client. */
const SENDS: GrepNode = {
  inside: {
    stopBy: 'end',
    ...kinds(FUNCTIONS),
    regex:
      '\\b(res|resp|response|reply)\\.(write|end|send|writeHead|setHeader|set|header|status|type)\\b|\\.pipe\\((res|resp|response|reply)\\b',
  },
};
const IS_PARAMETER: GrepNode = { any: [1, 2, 3, 4].map((position) => parameter(position, '$GIVEN')) };
/** A parameter, a property of one, or one of such a property that a variable holds. */
const GIVEN: GrepNode = {
  any: [
    {
      any: [
        { kind: 'identifier', pattern: '$GIVEN' },
        { kind: 'member_expression', has: { field: 'object', kind: 'identifier', pattern: '$GIVEN' } },
      ],
      inside: { stopBy: 'end', ...kinds(FUNCTIONS), all: [IS_PARAMETER] },
    },
    {
      kind: 'member_expression',
      all: [
        { has: { field: 'object', kind: 'identifier', pattern: '$HELD' } },
        {
          inside: {
            stopBy: 'end',
            ...kinds(FUNCTIONS),
            all: [
              {
                has: {
                  stopBy: 'end',
                  kind: 'variable_declarator',
                  all: [
                    { has: { field: 'name', pattern: '$HELD' } },
                    {
                      has: {
                        field: 'value',
                        kind: 'member_expression',
                        has: { field: 'object', kind: 'identifier', pattern: '$GIVEN' },
                      },
                    },
                  ],
                },
              },
              IS_PARAMETER,
            ],
          },
        },
      ],
    },
  ],
};

export const JAVASCRIPT_PATH_RULES: readonly StructuralRule[] = [
  {
    id: 'js-path-from-request',
    languages: ['JavaScript', 'TypeScript', 'Tsx'],
    ...PATH_FACTS,
    utils: UTILS,
    rule: {
      kind: 'call_expression',
      any: [
        {
          all: [FILE_USED, { any: [{ all: [UNGUARDED, firstArgument(FROM_SOURCE)] }, PASSED_ON] }],
        },
        {
          all: [
            { any: [FILE_USED, SENDS_FILE] },
            firstArgument(madeOf({ matches: 'kept' })),
            { not: { inside: { stopBy: 'end', ...kinds(FUNCTIONS), regex: GUARD } } },
          ],
        },
      ],
    },
    examples: [
      {
        code: "Server.prototype.serve = function (req, res) {\n  const asked = {};\n  asked.full = path.join(this.folder, decodeURIComponent(url.parse(req.url).pathname));\n  fs.stat(asked.full, (error) => {\n    if (!error) filed(asked.full).pipe(res);\n  });\n};\nServer.prototype.add = function (req, res) {\n  const task = { uri: 'a' };\n  task.filename = path.resolve(this.folder, req.url);\n  this.stack.push(task);\n};\nServer.prototype.handle = function (task, done) {\n  const file = task.filename;\n  fs.readFile(file, done);\n};\nhttp.createServer((req, res) => {\n  const port = parseInt(options.port);\n  let name = req.url;\n  if (name.indexOf('?') > 0) name = name.split('?')[0];\n  if (req.url.startsWith('/api/') || req.url.indexOf(prefix) === 0) return proxy(req, res);\n  fs.readFileSync(options.folder + name);\n  res.setHeader('cache-control', 'must-revalidate');\n});\n",
        lines: [5, 15, 22],
      },
      {
        code: "http.createServer((req, res) => {\n  asked.full = path.join(folder, req.url);\n  if (!asked.full.startsWith(folder)) return res.end();\n  filed(asked.full).pipe(res);\n});\nhttp.createServer((req, res) => {\n  asked.address = 'http://localhost' + req.url;\n  asked.url = req.url;\n  request(asked.url).pipe(res);\n  send(req, req.url).pipe(res);\n  fs.readFile(asked.page, done);\n});\napp.get('/:id', (req, res) => {\n  const id = Number(req.params.id);\n  res.sendFile(path.join(folder, `${id}.png`));\n});\n",
        lines: [],
      },
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
    utils: { ...FROM_REQUEST, given: GIVEN },
    severity: 'P2',
    blocking: false,
    title: 'File that is sent to a client is not checked to be in a folder',
    rule: {
      kind: 'call_expression',
      all: [
        FILE_READ,
        SENDS,
        firstArgument(madeOf({ matches: 'given' })),
        { not: { any: [PASSED_ON, firstArgument(FROM_SOURCE)] } },
        { not: { inside: { stopBy: 'end', ...kinds(FUNCTIONS), regex: SERVED_GUARD } } },
        { not: { inside: { stopBy: 'end', kind: 'program', regex: FILE_GUARD } } },
      ],
    },
    examples: [
      {
        code: 'module.exports = (request, response) => {\n  const options = request.options;\n  Fs.createReadStream(options.filePath).pipe(response);\n};\n',
        lines: [3],
      },
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
