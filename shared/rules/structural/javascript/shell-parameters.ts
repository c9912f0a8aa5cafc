/** Shell commands with what a caller passes to a function that other files can call. */
import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { COMPOSED, RUNS_SHELL, SHELL_MODULE } from './shell.ts';

const kinds = (names: readonly string[]): GrepNode => ({ any: names.map((kind) => ({ kind })) });
const FUNCTIONS = kinds(['function_declaration', 'function_expression', 'arrow_function', 'method_definition']);
const inFunction = (node: GrepNode): GrepNode => ({ inside: { stopBy: 'end', ...FUNCTIONS, ...node } });
const named = (name: string): GrepNode => ({
  any: [
    { has: { field: 'name', pattern: name } },
    { inside: { kind: 'variable_declarator', has: { field: 'name', pattern: name } } },
  ],
});
const hasParameter = (name: string, position?: number): GrepNode => ({
  any: [
    ...(position === undefined || position === 1 ? [{ has: { field: 'parameter', pattern: name } }] : []),
    {
      has: {
        field: 'parameters',
        has: {
          ...(position === undefined ? {} : { nthChild: position }),
          any: [
            { pattern: name },
            { has: { field: 'pattern', pattern: name } },
            { kind: 'assignment_pattern', has: { field: 'left', pattern: name } },
          ],
        },
      },
    },
  ],
});
const EXPORTS = '^(module\\.)?exports\\b';
/** Other files can call the function: it is a method, or exported in place or by its name. */
const PUBLIC: GrepNode = {
  any: [
    { kind: 'method_definition' },
    {
      inside: {
        any: [
          { kind: 'pair' },
          { kind: 'export_statement' },
          {
            kind: 'assignment_expression',
            has: { field: 'left', any: [{ regex: EXPORTS }, { kind: 'member_expression' }] },
          },
        ],
      },
    },
    {
      all: [
        named('$EXPORTED'),
        {
          inside: {
            stopBy: 'end',
            kind: 'program',
            has: {
              any: [
                {
                  kind: 'expression_statement',
                  has: {
                    stopBy: { kind: 'object' },
                    kind: 'assignment_expression',
                    all: [
                      { has: { field: 'left', regex: EXPORTS } },
                      {
                        has: {
                          field: 'right',
                          any: [
                            { pattern: '$EXPORTED' },
                            {
                              kind: 'object',
                              has: {
                                any: [{ pattern: '$EXPORTED' }, { has: { field: 'value', pattern: '$EXPORTED' } }],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                { kind: 'export_statement', has: { kind: 'export_clause', has: { has: { pattern: '$EXPORTED' } } } },
              ],
            },
          },
        },
      ],
    },
  ],
};
/** A function that other files can call hands its own parameter on to `$INNER`. */
const handsOn = (position: number): GrepNode => ({
  kind: 'call_expression',
  all: [
    { has: { field: 'function', pattern: '$INNER' } },
    { has: { field: 'arguments', has: { nthChild: position, kind: 'identifier', pattern: '$GIVEN' } } },
    { inside: { stopBy: 'end', all: [FUNCTIONS, hasParameter('$GIVEN'), { matches: 'public' }] } },
  ],
});
/** A caller in another file chooses the parameter of this function. */
const givenFromOutside = (name: string): GrepNode => ({
  any: [
    { all: [hasParameter(name), { matches: 'public' }] },
    ...[1, 2, 3].map((position) => ({
      all: [
        hasParameter(name, position),
        named('$INNER'),
        { inside: { stopBy: 'end', kind: 'program', has: { stopBy: 'end', ...handsOn(position) } } },
      ],
    })),
  ],
});

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

/** A sum or template of nothing but values, among them the items of a list. */
const JOINS: GrepNode = {
  any: [{ kind: 'binary_expression' }, { kind: 'template_string' }],
  not: { has: { stopBy: 'end', kind: 'string_fragment', regex: '[\\w=-]' } },
  has: {
    stopBy: 'end',
    kind: 'call_expression',
    all: [
      { has: { field: 'function', kind: 'member_expression', has: { field: 'property', regex: '^join$' } } },
      { has: { stopBy: 'end', kind: 'identifier', pattern: '$LIST' } },
    ],
  },
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
        { any: RUNS_SHELL },
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
    utils: { public: PUBLIC },
    rule: {
      all: [
        { any: RUNS_SHELL },
        {
          any: [
            { has: { field: 'arguments', has: { nthChild: 1, ...JOINS } } },
            {
              all: [
                { has: { field: 'arguments', has: { nthChild: 1, kind: 'identifier', pattern: '$BUILT' } } },
                inFunction({
                  has: {
                    stopBy: 'end',
                    kind: 'variable_declarator',
                    all: [{ has: { field: 'name', pattern: '$BUILT' } }, { has: { field: 'value', ...JOINS } }],
                  },
                }),
              ],
            },
            // The last one, because the engine takes the first that matches.
            { has: { field: 'arguments', has: { nthChild: 1, kind: 'identifier', pattern: '$LIST' } } },
          ],
        },
        {
          inside: {
            stopBy: 'end',
            all: [FUNCTIONS, { not: { regex: QUOTED } }, givenFromOutside('$LIST')],
          },
        },
      ],
    },
    constraints: { MODULE: SHELL_MODULE },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "exports.shell = shell;\nfunction shell(cmd, args) {\n  const command = cmd + ' ' + args.map(String).join(' ');\n  return new Task((reject, resolve) => {\n    exec(command, resolve);\n  });\n}\nmodule.exports.run = (program, list) => execSync(`${program} ${list.join(' ')}`);\n",
        lines: [5, 8],
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
        code: "exports.run = (program, list) => execSync(`${program} ${list.map(quote).join(' ')}`);\nfunction inner(program, list) {\n  exec(program + ' ' + list.join(' '));\n}\nexports.show = (list) => {\n  log(list.join(' '));\n  exec(COMMAND);\n};\nexports.open = (list) => execFile('open', list.join(' '));\n",
        lines: [],
      },
    ],
  },
];
