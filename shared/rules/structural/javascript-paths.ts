/** Paths of files that a client of a server chooses. */
import type { StructuralRule } from '../model/rule.ts';
import { FUNCTIONS } from './javascript/function-nodes.ts';
import {
  FILE_GUARD,
  FILE_READ,
  FILE_USED,
  FROM_REQUEST,
  GIVEN,
  GUARD,
  PASSED_ON,
  SENDS,
  SENDS_FILE,
  SERVED_GUARD,
  UNGUARDED,
  UTILS,
  withFirstArgument,
  madeOf,
} from './javascript-path-nodes.ts';
import { FROM_SOURCE } from './local-flow.ts';

export const PATH_FACTS = {
  severity: 'P1',
  blocking: true,
  title: 'Path of a file comes from the request',
  explanation:
    'Path traversal: with `../` in the value, a client reaches files outside of the folder. Take only the base name, or resolve the path and check that it is still below the folder.',
  follows: true,
  where: 'production',
} as const;

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
          all: [FILE_USED, { any: [{ all: [UNGUARDED, withFirstArgument(FROM_SOURCE)] }, PASSED_ON] }],
        },
        {
          all: [
            { any: [FILE_USED, SENDS_FILE] },
            withFirstArgument(madeOf({ matches: 'kept' })),
            { not: { inside: { stopBy: 'end', ...FUNCTIONS, regex: GUARD } } },
          ],
        },
      ],
    },
    examples: [
      {
        code: "app.get('/:package/:name', (req, res) => {\n  const packageName = req.params.package;\n  if (!styles.all().includes(`${packageName}/${req.params.name}`)) return res.end();\n  res.sendFile(path.join(folder, req.params.name));\n});\n",
        lines: [],
      },
      {
        code: "http.createServer((request, response) => {\n  for (const key in hosts) if (request.headers.host.indexOf(key) !== -1) folder = hosts[key];\n  const page = folder + (request.url.replace('/', '') || 'index.html');\n  fs.readFile(page, done);\n});\nhttp.createServer((req, res) => {\n  const parsed = url.parse(req.url, true);\n  const name = parsed.pathname;\n  const decoded = decodeURI(name);\n  const file = path.join(root, decoded);\n  if (/^\\./.test(path.basename(file))) return res.end();\n  if (['.js', '.css'].indexOf(extension) === -1) log(file);\n  fs.createReadStream(file).pipe(res);\n});\nhttp.createServer((incoming, response) => {\n  const { pathname } = url.parse(incoming.url);\n  response.end(file.readFileSync(`${root}${pathname}`));\n});\nhttp.createServer((req, res) => {\n  const base = path.basename(req.url);\n  fs.open(path.join(root, base), 'r', send);\n});\nhttp.createServer((clientReq, res) => {\n  fs.open('.' + clientReq.url, 'r', send);\n  fs_1.default.readFile('.' + clientReq.url, send);\n});\n",
        lines: [4, 13, 17, 24, 25],
      },
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
        withFirstArgument(madeOf({ matches: 'given' })),
        { not: { any: [PASSED_ON, withFirstArgument(FROM_SOURCE)] } },
        { not: { inside: { stopBy: 'end', ...FUNCTIONS, regex: SERVED_GUARD } } },
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
