import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { inFunction } from './function-nodes.ts';
import { contains, declares, EXPLANATION, GUARDED, JAVASCRIPT, TITLE } from './pollution-nodes.ts';

const GROUP: GrepNode = { pattern: '$TARGET[$GROUP]' };
const EMPTY = '\\{\\s*\\}$';
/** The group is created if it does not exist. `{}` has a prototype, and so has what `__proto__` yields. */
const CREATES_GROUP: GrepNode = contains({
  any: ['assignment_expression', 'augmented_assignment_expression'].map((kind) => ({ kind })),
  all: [{ has: { field: 'left', ...GROUP } }, { has: { field: 'right', regex: EMPTY } }],
});
const WITH_EMPTY: GrepNode = {
  any: ['binary_expression', 'assignment_expression', 'augmented_assignment_expression'].map((kind) => ({ kind })),
  regex: '\\{\\s*\\}\\)?$',
  has: { stopBy: { not: { kind: 'parenthesized_expression' } }, ...GROUP },
};
/** A variable has the group as its value, which is created if it does not exist. */
const HELD: GrepNode = {
  all: [{ has: { field: 'object', kind: 'identifier', pattern: '$HELD' } }, contains(declares('$HELD', WITH_EMPTY))],
};
const NAME: GrepNode = {
  any: ['identifier', 'member_expression', 'subscript_expression', 'call_expression'].map((kind) => ({ kind })),
};
/** Takes a text apart. */
const TAKEN = '\\.(split|match|exec)\\(|\\bparse\\w*\\(';

const takes = (name: string): GrepNode => ({
  has: { field: 'parameters', has: { stopBy: 'end', kind: 'identifier', pattern: name } },
});

/** Parameters with such names are numbers, as in a grid. */
const NUMBER_NAME =
  '^(i|j|k|n|x|y|z|idx|index|row|col|column|\\w+(Index|Idx))$|^(row|col|column|line|page)(No|Num|Number)$';
/** With a number, the group cannot be the prototype. What the second key is makes no difference. */
const GROUP_IS_NUMBER: GrepNode = {
  any: [
    {
      all: [
        { has: { stopBy: 'end', kind: 'identifier', pattern: '$GROUP', regex: NUMBER_NAME } },
        inFunction(takes('$GROUP')),
      ],
    },
    inFunction({
      has: {
        field: 'parameters',
        has: {
          stopBy: 'end',
          regex: '^([a-z]+\\s+)*[\\w$]+\\??\\s*:\\s*(number|bigint)(\\s*=[^,]*)?$',
          has: { kind: 'identifier', pattern: '$GROUP' },
        },
      },
    }),
  ],
};

/** The third key is written below two others that the function takes out of what it is given. */
const THREE_KEYS: GrepNode = {
  has: {
    field: 'left',
    has: { field: 'object', has: { field: 'object', kind: 'subscript_expression', has: { field: 'index', ...NAME } } },
  },
};

export const TWO_KEYS_RULES: readonly StructuralRule[] = [
  {
    id: 'js-two-keys-prototype',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: TITLE,
    explanation: EXPLANATION,
    rule: {
      kind: 'assignment_expression',
      all: [
        {
          has: {
            field: 'left',
            kind: 'subscript_expression',
            all: [
              {
                any: [
                  {
                    all: [
                      {
                        has: {
                          field: 'object',
                          any: [GROUP, { kind: 'parenthesized_expression', has: { stopBy: 'end', ...GROUP } }],
                        },
                      },
                      CREATES_GROUP,
                    ],
                  },
                  HELD,
                ],
              },
              { has: { field: 'index', pattern: '$KEY' } },
            ],
          },
        },
        {
          any: [inFunction({ regex: TAKEN }), inFunction({ all: [takes('$GROUP'), takes('$KEY')] }), THREE_KEYS],
        },
        { not: GROUP_IS_NUMBER },
        { not: GUARDED },
      ],
    },
    constraints: {
      GROUP: NAME,
      KEY: NAME,
    },
    follows: true,
    where: 'production',
    examples: [
      {
        code: "exports.parse = (text) => {\n  let part = all;\n  for (const line of text.split('\\n')) {\n    const found = line.match(LINE);\n    if (found[1]) part = all[found[1]] = all[found[1]] || {};\n    else part[found[2]] = found[3];\n  }\n};\nfunction add(table, row, name, value) {\n  const held = table[row] || (table[row] = {});\n  held[name] = value;\n}\nGraph.prototype.add = function (quad) {\n  const names = this.namesOf(quad);\n  this.all[names.a] = this.all[names.a] || {};\n  this.all[names.a][names.b] = this.all[names.a][names.b] || {};\n  this.all[names.a][names.b][names.c] = quad;\n};\n",
        lines: [6, 11, 17],
      },
      {
        code: 'function keep(table, name, value) {\n  const held = table[ROWS] || (table.all = {});\n  held[name] = value;\n}\nfunction list(table, row, name, value) {\n  const held = table[row] || (table[row] = []);\n  held[name] = value;\n}\n',
        lines: [],
      },
      {
        code: 'function remember(from, to) {\n  const result = relative(from, to);\n  cache[from] = cache[from] || {};\n  cache[from][to] = result;\n  return result;\n}\nfunction keep(from) {\n  const to = count();\n  cache[from] = cache[from] || {};\n  cache[from][to] = 1;\n}\n',
        lines: [4],
      },
      {
        code: "function parse(text) {\n  const all = {};\n  let section;\n  for (const line of text.split('\\n')) {\n    const found = line.match(HEAD);\n    if (found) section = found[1];\n    const item = line.match(ITEM);\n    if (item) {\n      all[section] = all[section] || {};\n      all[section][item[1]] = item[2];\n    }\n  }\n  return all;\n}\nconst unfold = (data) => Object.keys(data).reduce((all, key) => {\n  const parts = key.split('.');\n  const first = parts.shift();\n  if (!all[first]) all[first] = {};\n  all[first][parts.join('.')] = data[key];\n  return all;\n}, {});\n",
        lines: [10, 19],
      },
      {
        code: "function fill(text, table) {\n  for (const line of text.split('\\n')) {\n    const item = line.split('=');\n    table[item[0]][item[1]] = item[2];\n  }\n}\nfunction parse(text) {\n  const all = Object.create(null);\n  for (const line of text.split('\\n')) {\n    const [first, second, value] = line.split(' ');\n    all[first] = all[first] || {};\n    all[first][second] = value;\n  }\n}\nfunction group(users) {\n  const found = {};\n  for (const user of users) {\n    found[user.team] = found[user.team] || {};\n    found[user.team][user.id] = user;\n  }\n}\nfunction count(text) {\n  const found = {};\n  for (const word of text.split(' ')) {\n    found[word] = found[word] || {};\n    found[word].count = 1;\n    found[word]['seen'] = true;\n  }\n}\n",
        lines: [],
      },
      {
        code: 'class Grid {\n  set(row, column, value) {\n    if (!this.cells[row]) this.cells[row] = {};\n    this.cells[row][column] = value;\n  }\n  put(startIndex, name, text) {\n    this.cells[startIndex] = this.cells[startIndex] || {};\n    this.cells[startIndex][name] = parseFloat(text);\n  }\n  name(sheet, column, value) {\n    if (!this.names[sheet]) this.names[sheet] = {};\n    this.names[sheet][column] = value;\n  }\n}\nfunction read(text) {\n  const [row, column] = text.split(",");\n  if (!cells[row]) cells[row] = {};\n  cells[row][column] = 1;\n}\n',
        lines: [12, 18],
      },
    ],
  },
];
