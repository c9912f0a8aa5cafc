import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { RUNS_SHELL_BY_NAME } from './shell-names.ts';

/** A string composed of parts that are not all literals. */
export const COMPOSED: GrepNode = {
  any: [
    { kind: 'template_string', has: { kind: 'template_substitution' } },
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\+$' } },
        {
          has: {
            any: [{ kind: 'string' }, { kind: 'template_string' }],
            stopBy: { not: { kind: 'binary_expression' } },
          },
        },
        {
          has: {
            any: ['identifier', 'member_expression', 'call_expression'].map((kind) => ({ kind })),
            stopBy: { not: { kind: 'binary_expression' } },
          },
        },
      ],
    },
  ],
};
const NAME: GrepNode = { kind: 'identifier' };
/** One of two strings, of which at least one is composed. */
const CHOICE: GrepNode = {
  any: [
    { kind: 'ternary_expression', has: COMPOSED },
    { kind: 'parenthesized_expression', has: { kind: 'ternary_expression', has: COMPOSED } },
  ],
};

const FORMATTED: GrepNode = { kind: 'call_expression', has: { field: 'function', regex: '^(util\\.)?format$' } };

export const RUNS_SHELL: readonly GrepNode[] = [
  ...['exec', 'execSync', 'execAsync', 'execPromise'].flatMap((name) => [`${name}($CMD, $$$REST)`, `${name}($CMD)`]),
  ...['exec', 'execSync'].flatMap((name) => [`$MODULE.${name}($CMD, $$$REST)`, `$MODULE.${name}($CMD)`]),
].map((pattern) => ({ pattern }));
/** Starts a program, which is a shell or is looked up by one. */
const STARTS = '^(\\w{1,30}\\.)?(spawn|spawnSync|execFile|execFileSync)$';
const SHELL = '^[\'"](/bin/|/usr/bin/)?(ba|z|da)?sh[\'"]$|^[\'"]cmd(\\.exe)?[\'"]$';
/** A shell gets the command as its argument. */
export const STARTS_SHELL_BY_NAME: GrepNode = {
  kind: 'call_expression',
  all: [
    { has: { field: 'function', regex: STARTS } },
    {
      has: {
        field: 'arguments',
        all: [
          { has: { nthChild: 1, kind: 'string', regex: SHELL } },
          {
            has: {
              nthChild: 2,
              kind: 'array',
              all: [
                { has: { nthChild: 1, regex: '^[\'"](-l?c|/[cC])[\'"]$' } },
                { has: { nthChild: 2, pattern: '$CMD' } },
              ],
            },
          },
        ],
      },
    },
  ],
};
const STARTS_SHELL: readonly GrepNode[] = [
  STARTS_SHELL_BY_NAME,
  {
    kind: 'call_expression',
    all: [
      { has: { field: 'function', regex: STARTS } },
      {
        has: {
          field: 'arguments',
          all: [
            { has: { nthChild: 1, pattern: '$CMD' } },
            {
              has: {
                kind: 'object',
                has: {
                  kind: 'pair',
                  all: [{ has: { field: 'key', regex: '^shell$' } }, { has: { field: 'value', regex: '^true$' } }],
                },
              },
            },
          ],
        },
      },
    ],
  },
];
export const SHELL_MODULE: GrepNode = {
  regex:
    '^(?i:([\\w$]+\\.)?_?(child_?process(_\\d+)?|cp\\d?)(\\.default)?|shell(js)?|require\\(.(node:)?child_process.\\))$',
};
export const JAVASCRIPT_SHELL_RULES: readonly StructuralRule[] = [
  {
    id: 'js-shell-by-string',
    languages: ['JavaScript', 'TypeScript', 'Tsx'],
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Use `execFile` or `spawn` with an argument array, which bypasses the shell.',
    rule: { any: [...RUNS_SHELL_BY_NAME, ...RUNS_SHELL, ...STARTS_SHELL] },
    constraints: { CMD: { any: [COMPOSED, CHOICE, NAME, FORMATTED] }, MODULE: SHELL_MODULE },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: 'function clone(url) {\n  execSync(`git clone ${url}`);\n  const { stdout: id } = run();\n  execSync(`docker stop ${id}`);\n  execSync(`git clone ${req.body.url}`);\n}\n',
        lines: [2, 4, 5],
        mild: [2, 4],
      },
      {
        code: "const child = require('child_process');\nconst run = require('child_process').exec;\nconst inShell = util.promisify(child.exec);\nconst { execSync: start, spawn: other } = require('node:child_process');\nlet tools;\ntools = require('child_process');\nexports.add = (name, done) => child.exec('git add ' + name, done);\nexports.list = (name) => run(`ls ${name}`);\nexports.show = async (name) => inShell(`cat ${name}`);\nexports.stop = (name) => start('kill ' + name);\nexports.copy = (name) => {\n  const sh = require('shelljs');\n  tools.execSync('cp ' + name);\n  sh.exec('cp ' + name);\n  other('cp ' + name);\n};\nDisk.prototype.free = function (folder) {\n  this.child_process.exec('df ' + folder, read);\n  this.cp.execSync('df ' + folder);\n};\n",
        lines: [7, 8, 9, 10, 13, 14, 18, 19],
        mild: [7, 8, 9, 10, 13, 14, 18, 19],
      },
      {
        code: "import * as child from 'node:child_process';\nimport { exec as run, spawn as start } from 'node:child_process';\nexport const list = (name) => child.exec(`ls ${name}`);\nexport const show = (name) => run('cat ' + name);\nexport const open = (name) => start('open ' + name);\n",
        lines: [3, 4],
        mild: [3, 4],
      },
      {
        code: "const child = createLogger('child_process');\nconst run = require('./child_process').exec;\nconst { execFile: start } = require('child_process');\nchild.exec('add ' + name);\nrun('add ' + name);\nstart('add ' + name);\n",
        lines: [],
      },
      { code: 'execSync(`git clone ${url}`);\n', lines: [1], mild: [1] },
      { code: 'const cmd = "git clone " + url;\nexec(cmd, done);\n', lines: [2], mild: [2] },
      { code: "const url = 'https://git.example/a';\nconst cmd = `git clone ${url}`;\nexecSync(cmd);\n", lines: [] },
      {
        code: "const cmd = this.server.config.get('command') || 'ps';\nexec(`${cmd} -e`);\nexecSync(`ls ${url}`);\n",
        lines: [],
        path: 'bin/install.js',
      },
      { code: "const cmd = `${config.get('ps')} -e`;\nexec(cmd);\n", lines: [] },
      { code: 'execSync(`kill -9 ${child.pid}`);\nexecSync(`ls ${quote(path)} ${DEPTH}`);\n', lines: [] },
      {
        code: "exec(tool ? tool + ' -v' : 'git -v', done);\nchild_process_1.execSync((quick ? 'ls' : `ls ${path}`));\nexec(util.format('ls \"%s\" %s', folder, name));\n",
        lines: [1, 2, 3],
        mild: [1, 2, 3],
      },
      {
        code: "const cmd = util.format('ls \"%s\"', folder);\nexec(cmd);\nexec(quick ? 'ls' : 'ls -l');\nfunction commandOf(file) {\n  const flags = '-l';\n  return 'ls ' + flags + ' ' + file;\n}\nconst made = commandOf(given);\nexec(made);\nconst fixed = () => 'ls';\nconst other = fixed();\nexec(other);\n",
        lines: [2, 9],
        mild: [2, 9],
      },
      { code: 'child_process.exec("rm " + path, done);\nshell.exec(`rm ${path}`);\n', lines: [1, 2], mild: [1, 2] },
      {
        code: "spawn('sh', ['-c', 'ls ' + path]);\ncp.spawnSync(`ls ${path}`, [], { cwd, shell: true });\nexecFile('cmd.exe', ['/c', `dir ${path}`], done);\n",
        lines: [1, 2, 3],
        mild: [1, 2, 3],
      },
      {
        code: "spawn('sh', ['-c', 'ls']);\nspawn('sh', ['run.sh', 'a' + path]);\nspawn(`./${path}`, [], { cwd });\nspawn('npm', ['i', path + ''], { shell: true });\n",
        lines: [],
      },
      { code: "let cmd = `curl '${url}'`;\ncmd += options.text();\nexec(cmd);\n", lines: [3], mild: [3] },
      { code: "let cmd = `curl '${url}'`;\ncmd = 'ls';\ncmd += ' -l';\nexec(cmd);\n", lines: [] },
      {
        code: 'await execAsync(`git clone ${url}`);\nrequire("child_process").exec("rm " + path);\n',
        lines: [1, 2],
        mild: [1, 2],
      },
      { code: 'execFile("git", ["clone", url]);\nexecSync("git status");\n', lines: [] },
      { code: 'pattern.exec(`a${b}`);\n', lines: [] },
    ],
  },
];
