import type { GrepNode, StructuralRule } from '../../model/rule.ts';

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

const RUNS_SHELL = [
  ...['exec', 'execSync', 'execAsync', 'execPromise'].flatMap((name) => [`${name}($CMD, $$$REST)`, `${name}($CMD)`]),
  ...['exec', 'execSync'].flatMap((name) => [`$MODULE.${name}($CMD, $$$REST)`, `$MODULE.${name}($CMD)`]),
].map((pattern) => ({ pattern }));
const SHELL_MODULE: GrepNode = {
  regex: '^(?i:child_?process|cp\\d?|shell(js)?|require\\(.(node:)?child_process.\\))$',
};
const EXPORTED: GrepNode = {
  inside: {
    any: [
      { kind: 'assignment_expression', has: { field: 'left', regex: '^(module\\.)?exports\\b' } },
      { kind: 'export_statement' },
    ],
  },
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
    rule: { any: RUNS_SHELL },
    constraints: { CMD: { any: [COMPOSED, NAME] }, MODULE: SHELL_MODULE },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: 'execSync(`git clone ${url}`);\n', lines: [1] },
      { code: 'const cmd = "git clone " + url;\nexec(cmd, done);\n', lines: [2] },
      { code: "const url = 'https://git.example/a';\nconst cmd = `git clone ${url}`;\nexecSync(cmd);\n", lines: [] },
      {
        code: "const cmd = this.server.config.get('command') || 'ps';\nexec(`${cmd} -e`);\nexecSync(`ls ${url}`);\n",
        lines: [],
        path: 'bin/install.js',
      },
      { code: "const cmd = `${config.get('ps')} -e`;\nexec(cmd);\n", lines: [] },
      { code: 'execSync(`kill -9 ${child.pid}`);\nexecSync(`ls ${quote(path)} ${DEPTH}`);\n', lines: [] },
      { code: 'child_process.exec("rm " + path, done);\nshell.exec(`rm ${path}`);\n', lines: [1, 2] },
      { code: "let cmd = `curl '${url}'`;\ncmd += options.text();\nexec(cmd);\n", lines: [3] },
      { code: "let cmd = `curl '${url}'`;\ncmd = 'ls';\ncmd += ' -l';\nexec(cmd);\n", lines: [] },
      { code: 'await execAsync(`git clone ${url}`);\nrequire("child_process").exec("rm " + path);\n', lines: [1, 2] },
      { code: 'execFile("git", ["clone", url]);\nexecSync("git status");\n', lines: [] },
      { code: 'pattern.exec(`a${b}`);\n', lines: [] },
    ],
  },
  {
    id: 'js-shell-number-unchecked',
    languages: ['JavaScript'],
    severity: 'P2',
    blocking: false,
    title: 'Shell command contains a parameter that need not be a number',
    explanation:
      'Shell injection: the name says that the value is a number, but a caller can pass any text, which the shell then runs. Convert it with `Number`, or use `execFile` with an argument array.',
    rule: {
      all: [
        { any: RUNS_SHELL },
        {
          has: {
            field: 'arguments',
            has: {
              nthChild: 1,
              all: [
                COMPOSED,
                { has: { stopBy: 'end', kind: 'identifier', regex: '(?i)(pid|port)$', pattern: '$NUMBER' } },
              ],
            },
          },
        },
        {
          inside: {
            stopBy: 'end',
            any: ['function_declaration', 'function_expression', 'arrow_function'].map((kind) => ({ kind })),
            all: [
              {
                any: [
                  { has: { field: 'parameter', pattern: '$NUMBER' } },
                  { has: { field: 'parameters', has: { pattern: '$NUMBER' } } },
                ],
              },
              EXPORTED,
              {
                not: { regex: 'parseInt|Number\\b|isNaN|isFinite|isInteger|\\btypeof |\\\\d|\\.test\\(|quote|escape' },
              },
            ],
          },
        },
      ],
    },
    constraints: { MODULE: SHELL_MODULE },
    where: 'production',
    examples: [
      {
        code: 'module.exports = port => execSync(`lsof -t -i:${port}`);\nexports.kill = function (pid, done) {\n  cp.exec("kill " + pid, done);\n};\n',
        lines: [1, 3],
      },
      {
        code: 'module.exports = port => execSync(`lsof -t -i:${Number(port)}`);\nfunction kill(pid) {\n  cp.exec("kill " + pid);\n}\nexports.stop = function (child) {\n  const { pid } = child;\n  cp.exec("kill " + pid);\n};\n',
        lines: [],
      },
    ],
  },
];
