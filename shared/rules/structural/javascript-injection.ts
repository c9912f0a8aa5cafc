import type { GrepNode, StructuralRule } from '../model/rule.ts';
import { COMPOSED } from './javascript/shell.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

const NOT_LITERAL: GrepNode = {
  not: { any: [{ kind: 'string' }, { kind: 'template_string', not: { has: { kind: 'template_substitution' } } }] },
};
const SQL = '^[`"\']\\s*(?i:select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s|replace\\s+into\\s)';
const NAME: GrepNode = { kind: 'identifier' };

export const JAVASCRIPT_INJECTION_RULES: readonly StructuralRule[] = [
  {
    id: 'js-eval',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'eval runs a computed string as code',
    explanation:
      'Anyone who controls the string can run code in this process. Parse the data with `JSON.parse`, use a lookup table, or pass a function.',
    rule: { any: [{ pattern: 'eval($CODE)' }, { pattern: '(0, eval)($CODE)' }] },
    constraints: { CODE: NOT_LITERAL },
    builds: { for: 'code', from: 'CODE', unknown: 'counts' },
    graveIf: 'outside or parameter',
    where: 'production',
    examples: [
      { code: 'const given = req.query.sum;\neval(given);\n', lines: [2] },
      { code: 'const a = 1;\nconst b = eval(input);\n', lines: [2] },
      {
        code: 'const queue = [];\nconst f = (text) => {\n  eval(text.trim());\n  const next = queue.shift();\n  eval(next);\n  eval(this.source);\n};\n',
        lines: [3, 5, 6],
        mild: [5, 6],
      },
      { code: 'const b = (0, eval)(`(${input})`);\nconst c = (0, eval)("this");\n', lines: [1] },
      { code: 'const b = JSON.parse(input);\nredis.eval(script, 1);\n', lines: [] },
      { code: 'const g = eval("this");\nconst source = "1 + 1";\neval(source);\n', lines: [] },
    ],
  },
  {
    id: 'js-new-function',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'new Function runs a computed string as code',
    explanation:
      'Anyone who controls the string can run code in this process. Parse the data with `JSON.parse`, use a lookup table, or pass a function.',
    rule: {
      any: [{ kind: 'new_expression' }, { kind: 'call_expression' }],
      all: [
        { any: ['constructor', 'function'].map((field) => ({ has: { field, regex: '^Function$' } })) },
        {
          has: {
            field: 'arguments',
            has: { nthChild: { position: 1, reverse: true }, pattern: '$CODE', all: [NOT_LITERAL] },
          },
        },
      ],
    },
    builds: { for: 'code', from: 'CODE', unknown: 'counts' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      { code: "const f = new Function('a', `return ${request.body.rule}`);\n", lines: [1] },
      {
        code: 'const f = new Function("a", body);\nconst g = Function("return " + body)();\n',
        lines: [1, 2],
        mild: [1, 2],
      },
      { code: 'const f = new Function("return 1");\nconst g = new Handler(body);\n', lines: [] },
    ],
  },
  {
    id: 'js-sql-concat',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Pass the value as a bound parameter (`?`, `$1`) or use the tagged template of your client.',
    rule: {
      kind: 'call_expression',
      all: [
        {
          has: {
            field: 'function',
            kind: 'member_expression',
            has: {
              field: 'property',
              regex: '^(query|execute|raw|run|all|get|prepare|exec|queryRaw|\\$queryRawUnsafe|\\$executeRawUnsafe)$',
            },
          },
        },
        {
          has: {
            field: 'arguments',
            has: { nthChild: 1, pattern: '$SQL', any: [{ all: [COMPOSED, { regex: SQL }] }, NAME] },
          },
        },
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: "function find(db, id, name) {\n  db.query(`SELECT a FROM users WHERE name = '${name.trim()}'`);\n  db.query(`SELECT a FROM users WHERE id = ${id}`);\n  db.query(`SELECT a FROM users WHERE id = ${req.params.id}`);\n}\n",
        lines: [2, 3, 4],
        mild: [3],
      },
      { code: 'await db.query(`SELECT * FROM users WHERE id = ${id}`);\n', lines: [1], mild: [1] },
      {
        code: "const sql = `SELECT * FROM users WHERE name = '${name}'`;\nawait db.query(sql);\n",
        lines: [2],
        mild: [2],
      },
      { code: 'await db.query(`SELECT a FROM ${tableName} ORDER BY ${column}`);\n', lines: [] },
      { code: 'db.run("DELETE FROM users WHERE name = \'" + name + "\'");\n', lines: [1], mild: [1] },
      {
        code: 'db.run("DELETE FROM users WHERE name = \'" + name + "\'");\n',
        lines: [],
        path: 'db/migrations/001-users.js',
      },
      { code: "db.run(`UPDATE users SET token = '${hashToken(token)}' WHERE id = ${user.id}`);\n", lines: [] },
      {
        code: 'await db.query("SELECT * FROM users WHERE id = $1", [id]);\nawait db.query(sql`SELECT ${id}`);\n',
        lines: [],
      },
      { code: 'db.all(`SELECT ${COLUMNS} FROM users WHERE id IN (${placeholders})`, ids);\n', lines: [] },
    ],
  },
  {
    id: 'js-inner-html',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Unescaped text is inserted as HTML',
    explanation:
      'Markup in the value runs as script in the browser of everyone who views the page. Use `textContent`, build elements, or sanitise the value first.',
    rule: {
      any: [
        { pattern: '$ELEMENT.innerHTML = $HTML' },
        { pattern: '$ELEMENT.outerHTML = $HTML' },
        { pattern: '$ELEMENT.insertAdjacentHTML($WHERE, $HTML)' },
        { pattern: 'document.write($HTML)' },
      ],
    },
    constraints: { HTML: { all: [COMPOSED, { not: { regex: '(?i)sanitiz|sanitis|escape|purify|encode' } }] } },
    builds: { for: 'html', from: 'HTML' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      { code: 'list.innerHTML = `<li>${name}</li>`;\n', lines: [1], mild: [1] },
      { code: 'const name = request.query.name;\nlist.innerHTML = `<li>${name}</li>`;\n', lines: [2] },
      { code: 'const name = event.target.dataset.name;\nlist.innerHTML = `<li>${name}</li>`;\n', lines: [2] },
      { code: "box.innerHTML = '<b>' + title + '</b>';\n", lines: [1], mild: [1] },
      { code: "box.innerHTML = '<b>' + title + '</b>';\n", lines: [], path: 'docs/.vitepress/search.js' },
      { code: "box.innerHTML = '<b>' + title + '</b>';\n", lines: [], path: 'public/vendors/box.js' },
      {
        code: "box.innerHTML = '';\nbox.textContent = `${name}`;\nbox.innerHTML = `<b>${escapeHtml(name)}</b>`;\n",
        lines: [],
      },
    ],
  },
  {
    id: 'js-vm-code',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: 'node:vm is not a sandbox',
    explanation:
      'Code that runs in node:vm can reach the host through object constructors. Run untrusted code in a separate process without permissions, or not at all.',
    rule: {
      any: [
        ...['vm.$METHOD($CODE, $$$REST)', 'vm.$METHOD($CODE)'].map((pattern) => ({ pattern })),
        ...['new vm.Script($CODE, $$$REST)', 'new vm.Script($CODE)'].map((pattern) => ({ pattern })),
      ],
    },
    constraints: { METHOD: { regex: '^runIn(New|This)?Context$' }, CODE: NOT_LITERAL },
    where: 'production',
    examples: [
      { code: 'vm.runInNewContext(source, {});\nnew vm.Script(source);\n', lines: [1, 2] },
      { code: "vm.runInThisContext('1 + 1');\nvm.createContext(source);\n", lines: [] },
    ],
  },
  {
    id: 'js-unsafe-deserialise',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Deserialiser can run code from its input',
    explanation:
      'The format allows functions, so a crafted document can run code in this process. Use `JSON.parse` or a safe schema, and validate the result.',
    rule: {
      any: [
        { pattern: '$MODULE.unserialize($DATA)' },
        {
          kind: 'pair',
          all: [
            { has: { field: 'key', regex: '^schema$' } },
            { has: { field: 'value', regex: '(DEFAULT_FULL_SCHEMA|UNSAFE_SCHEMA)$' } },
          ],
        },
      ],
    },
    constraints: { MODULE: { regex: '^(serialize|nodeSerialize|serializer)$' } },
    examples: [
      { code: 'const user = serialize.unserialize(cookie);\n', lines: [1] },
      { code: 'yaml.load(text, { schema: yaml.DEFAULT_FULL_SCHEMA });\n', lines: [1] },
      { code: 'const user = JSON.parse(cookie);\nyaml.load(text, { schema: yaml.JSON_SCHEMA });\n', lines: [] },
    ],
  },
];
