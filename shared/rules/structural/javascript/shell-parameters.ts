/** Shell commands with what a caller passes to a function that other files can call. */
import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { FUNCTIONS, inFunction } from './function-nodes.ts';
import { givenFromOutside, PUBLIC } from './public-functions.ts';
import { COMPOSED, RUNS_SHELL, SHELL_MODULE, STARTS_SHELL_BY_NAME } from './shell.ts';
import { RUNS_SHELL_BY_NAME } from './shell-names.ts';

/** A sum or template with a value. */
const SUM: GrepNode = {
  any: [COMPOSED, { kind: 'binary_expression', has: { field: 'operator', regex: '^\\+$' } }],
};
const HAS_NUMBER: GrepNode = {
  has: { stopBy: 'end', kind: 'identifier', regex: '(?i)(pid|port)$', pattern: '$NUMBER' },
};
/** `$BUILT` is declared or assigned as a string with the number. */
const BUILT_WITH_NUMBER: GrepNode = {
  any: [
    {
      kind: 'variable_declarator',
      all: [
        { has: { field: 'name', pattern: '$BUILT' } },
        { has: { field: 'value', all: [{ matches: 'composed' }, HAS_NUMBER] } },
      ],
    },
    {
      any: [{ kind: 'assignment_expression' }, { kind: 'augmented_assignment_expression' }],
      all: [
        { has: { field: 'left', pattern: '$BUILT' } },
        { has: { field: 'right', all: [{ matches: 'composed' }, HAS_NUMBER] } },
      ],
    },
  ],
};
const NUMBER_CHECKED = 'parseInt|Number\\b|isNaN|isFinite|isInteger|\\btypeof |\\\\d|\\.test\\(|quote|escape';

/** A parameter that a caller in another file chooses. */
const GIVEN: GrepNode = {
  kind: 'identifier',
  pattern: '$LIST',
  inside: { stopBy: 'end', all: [FUNCTIONS, givenFromOutside('$LIST')] },
};
const WITH_GIVEN: GrepNode = { has: { stopBy: 'end', matches: 'given' } };
const JOIN: GrepNode = {
  has: { field: 'function', kind: 'member_expression', has: { field: 'property', regex: '^join$' } },
};
/** A sum or template of nothing but values, among them the items of a list. */
const JOINS: GrepNode = {
  any: [{ kind: 'binary_expression' }, { kind: 'template_string' }],
  not: { has: { stopBy: 'end', kind: 'string_fragment', regex: '[\\w=-]' } },
  has: { stopBy: 'end', kind: 'call_expression', all: [JOIN, WITH_GIVEN] },
};
/** A list is joined, which is written out with something of a caller, or to which such a thing is added. */
const LIST_JOINED: GrepNode = {
  kind: 'call_expression',
  all: [
    {
      has: {
        field: 'function',
        kind: 'member_expression',
        all: [
          { has: { field: 'property', regex: '^join$' } },
          { has: { field: 'object', kind: 'identifier', pattern: '$ARRAY' } },
        ],
      },
    },
    inFunction({
      has: {
        stopBy: 'end',
        any: [
          {
            kind: 'variable_declarator',
            all: [
              { has: { field: 'name', pattern: '$ARRAY' } },
              { has: { field: 'value', kind: 'array', ...WITH_GIVEN } },
            ],
          },
          {
            kind: 'call_expression',
            all: [
              {
                has: {
                  field: 'function',
                  all: [
                    { has: { field: 'object', pattern: '$ARRAY' } },
                    { has: { field: 'property', regex: '^(push|unshift)$' } },
                  ],
                },
              },
              { has: { field: 'arguments', ...WITH_GIVEN } },
            ],
          },
        ],
      },
    }),
  ],
};
/** A list that is written out, with something of a caller, is joined at once. */
const ARRAY_JOINED: GrepNode = {
  kind: 'call_expression',
  has: {
    field: 'function',
    kind: 'member_expression',
    all: [
      { has: { field: 'property', regex: '^join$' } },
      {
        has: {
          field: 'object',
          any: [{ kind: 'array' }, { kind: 'call_expression', regex: '^\\[[^\\]]*\\]\\.concat\\(' }],
          ...WITH_GIVEN,
        },
      },
    ],
  },
};
/** A sum or template of nothing but values of a caller. */
const VALUES: GrepNode = {
  any: [{ kind: 'binary_expression' }, { kind: 'template_string' }],
  not: { has: { stopBy: 'end', any: [{ kind: 'string_fragment' }, { kind: 'call_expression' }], regex: '[\\w=-]' } },
  ...WITH_GIVEN,
};
const BUILT_OF_CALLER: readonly GrepNode[] = [JOINS, LIST_JOINED, ARRAY_JOINED, VALUES];
const COMMAND_OF_CALLER: readonly GrepNode[] = [{ matches: 'given' }, ...BUILT_OF_CALLER];
/** The file takes the function from a library that runs a shell. Another `exec` may run a query. */
const KNOWS_SHELL: GrepNode = {
  any: [
    { has: { field: 'function', kind: 'member_expression' } },
    { inside: { stopBy: 'end', kind: 'program', regex: '[\'"`]((node:)?child_process|shelljs)[\'"`/]' } },
  ],
};
const QUOTED = '(?i)quote|escape|shlex';

export const SHELL_PARAMETER_RULES: readonly StructuralRule[] = [
  {
    id: 'js-shell-number-unchecked',
    languages: ['JavaScript'],
    severity: 'P2',
    blocking: false,
    title: 'Shell command contains a parameter that need not be a number',
    explanation:
      'Shell injection: the name says that the value is a number, but a caller can pass any text, which the shell then runs. Convert it with `Number`, or use `execFile` with an argument array.',
    utils: { public: PUBLIC, composed: SUM },
    rule: {
      all: [
        { any: [...RUNS_SHELL_BY_NAME, ...RUNS_SHELL] },
        {
          any: [
            { has: { field: 'arguments', has: { nthChild: 1, all: [{ matches: 'composed' }, HAS_NUMBER] } } },
            {
              all: [
                { has: { field: 'arguments', has: { nthChild: 1, kind: 'identifier', pattern: '$BUILT' } } },
                inFunction({ has: { stopBy: 'end', ...BUILT_WITH_NUMBER } }),
              ],
            },
          ],
        },
        {
          inside: {
            stopBy: 'end',
            all: [FUNCTIONS, { not: { regex: NUMBER_CHECKED } }, givenFromOutside('$NUMBER')],
          },
        },
      ],
    },
    constraints: { MODULE: SHELL_MODULE },
    follows: true,
    where: 'production',
    examples: [
      { code: "exports.stop = (pid) => execSync('kill ' + pid);\n", lines: [], path: 'scripts/stop.js' },
      {
        code: 'module.exports = port => execSync(`lsof -t -i:${port}`);\nexports.kill = function (pid, done) {\n  cp.exec("kill " + pid, done);\n};\n',
        lines: [1, 3],
      },
      {
        code: "module.exports = function stop(port) {\n  return new Promise((resolve) => {\n    const cmd = 'lsof -i:' + port;\n    cp.exec(cmd, resolve);\n  });\n};\nconst free = (port) => {\n  let cmd = 'kill ';\n  if (isOld) cmd = 'fuser -k ';\n  exec(cmd + port);\n};\nfunction find(port) {\n  return execSync('lsof -i:' + port);\n}\nfunction show(port) {\n  return format(find(port));\n}\nexports.free = free;\nmodule.exports = { show, other: 1 };\n",
        lines: [4, 10, 13],
      },
      {
        code: 'module.exports = port => execSync(`lsof -t -i:${Number(port)}`);\nfunction kill(pid) {\n  cp.exec("kill " + pid);\n}\nexports.stop = function (child) {\n  const { pid } = child;\n  cp.exec("kill " + pid);\n};\n',
        lines: [],
      },
      {
        code: "function find(port) {\n  return execSync('lsof -i:' + port);\n}\nexports.show = () => find(3000);\nexports.stop = (pid) => {\n  const cmd = 'ps';\n  log('kill ' + pid);\n  exec(cmd);\n};\n",
        lines: [],
      },
    ],
  },
  {
    id: 'js-shell-from-parameters',
    languages: ['JavaScript', 'TypeScript'],
    severity: 'P2',
    blocking: false,
    title: 'Exported function runs its parameters in a shell',
    explanation:
      'Shell injection: the shell interprets each space, quote or semicolon in what a caller passes. Take the program and its arguments as a list and run them with `execFile` or `spawn`, which bypass the shell.',
    utils: { public: PUBLIC, given: GIVEN },
    rule: {
      all: [
        { any: [...RUNS_SHELL_BY_NAME, ...RUNS_SHELL, STARTS_SHELL_BY_NAME] },
        KNOWS_SHELL,
        { not: inFunction({ regex: QUOTED }) },
        {
          any: [
            { has: { field: 'arguments', has: { nthChild: 1, any: COMMAND_OF_CALLER } } },
            {
              all: [
                STARTS_SHELL_BY_NAME,
                { has: { field: 'arguments', has: { kind: 'array', has: { nthChild: 2, any: COMMAND_OF_CALLER } } } },
              ],
            },
            {
              all: [
                { has: { field: 'arguments', has: { nthChild: 1, kind: 'identifier', pattern: '$BUILT' } } },
                inFunction({
                  has: {
                    stopBy: 'end',
                    kind: 'variable_declarator',
                    all: [
                      { has: { field: 'name', pattern: '$BUILT' } },
                      { has: { field: 'value', any: BUILT_OF_CALLER } },
                    ],
                  },
                }),
              ],
            },
          ],
        },
      ],
    },
    constraints: { MODULE: SHELL_MODULE },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "const child = require('child_process');\nGit.prototype.checkout = function (project, done) {\n  const command = ['git', 'checkout', '-b', project.branch].join(' ');\n  child.exec(command, done);\n};\nexports.add = (names, done) => child.exec(['git', 'add'].concat(names).join(' '), done);\nexports.run = (options, done) => child.exec(options.program + ' ' + options.list, done);\nexports.shell = (command) => spawn('/bin/sh', ['-c', command]);\nfunction run(command, done) {\n  child.exec(command, done);\n}\nexports.remove = (name, done) => run('rm ' + name, done);\n",
        lines: [4, 6, 7, 8, 10],
      },
      {
        code: "const child = require('child_process');\nexports.list = (done) => child.exec(['git', 'log'].join(' '), done);\nexports.show = (name, done) => child.exec(['git', 'show', HEAD].join(' '), () => done(name));\nexports.shell = (file) => spawn('/bin/sh', ['run.sh', file]);\nexports.both = (done) => child.exec(FIRST + ' ' + SECOND, done);\n",
        lines: [],
      },
      {
        code: "const { exec } = require('child_process');\nscp.send = function (options, done) {\n  const command = [\n    'scp',\n    '-r',\n    options.file,\n  ];\n  exec(command.join(' '), done);\n};\nexports.list = (folder) => {\n  const parts = ['ls'];\n  parts.push('-l', folder);\n  const all = parts.join(' ');\n  exec(all);\n};\nexports.show = (given) => {\n  const parts = ['ls', '-l'];\n  log([given], given);\n  exec(parts.join(' '));\n};\n",
        lines: [8, 14],
      },
      {
        code: "import { exec, execSync } from 'node:child_process';\nexports.shell = shell;\nfunction shell(cmd, args) {\n  const command = cmd + ' ' + args.map(String).join(' ');\n  return new Task((reject, resolve) => {\n    exec(command, resolve);\n  });\n}\nmodule.exports.run = (program, list) => execSync(`${program} ${list.join(' ')}`);\n",
        lines: [6, 9],
      },
      {
        code: 'function run(type, command, done) {\n  if (type === "exec") cp.exec(command, done);\n}\nmodule.exports = { run };\n',
        lines: [2],
      },
      {
        code: 'function run(command, done) {\n  cp.exec(command, done);\n}\nexports.show = (done) => {\n  run("ps", done);\n  const command = "ps";\n  cp.exec(command, done);\n};\n',
        lines: [],
      },
      {
        code: "import { exec } from 'node:child_process';\nexports.run = (program, list) => execSync(`${program} ${list.map(quote).join(' ')}`);\nfunction inner(program, list) {\n  exec(program + ' ' + list.join(' '));\n}\nexports.show = (list) => {\n  log(list.join(' '));\n  exec(COMMAND);\n};\nexports.open = (list) => execFile('open', list.join(' '));\n",
        lines: [],
      },
      {
        code: "const { exec } = require('./engine'); // not child_process\nmodule.exports.run = function (query) {\n  return exec(query);\n};\n",
        lines: [],
      },
      { code: "const { exec } = require('shelljs');\nexports.run = (command) => exec(command);\n", lines: [2] },
    ],
  },
];
