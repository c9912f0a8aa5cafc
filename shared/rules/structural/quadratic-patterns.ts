import type { GrepNode, StructuralRule } from '../model/rule.ts';

/** A pattern that repeats something, or what may be the name of one. */
const PATTERN: GrepNode = {
  any: [
    { kind: 'regex', regex: '[*+]|\\{\\d+,\\}' },
    ...['identifier', 'member_expression', 'ternary_expression', 'subscript_expression'].map((kind) => ({ kind })),
    { kind: 'new_expression', regex: '^new RegExp\\(' },
  ],
};
const property = (names: string): GrepNode => ({ has: { field: 'property', regex: `^(${names})$` } });

const MATCHED_BY_TEXT: GrepNode = {
  nthChild: 1,
  inside: {
    kind: 'arguments',
    inside: {
      kind: 'call_expression',
      has: {
        field: 'function',
        kind: 'member_expression',
        all: [
          property('match|matchAll|search|split|replace|replaceAll'),
          { has: { field: 'object', pattern: '$SUBJECT' } },
        ],
      },
    },
  },
};
const MATCHES_TEXT: GrepNode = {
  inside: {
    kind: 'member_expression',
    all: [
      property('test|exec'),
      {
        inside: {
          kind: 'call_expression',
          has: { field: 'arguments', has: { nthChild: 1, pattern: '$SUBJECT' } },
        },
      },
    ],
  },
};

export const QUADRATIC_PATTERN_RULES: readonly StructuralRule[] = [
  {
    id: 'js-quadratic-pattern',
    languages: ['JavaScript', 'TypeScript'],
    severity: 'P2',
    blocking: false,
    title: 'Regular expression can take quadratic time',
    explanation:
      'If this text comes from outside, a long one that repeats a character and does not match keeps the program busy: the time grows with the square of its length or faster. Limit the length of the text first, or give the repetition an upper bound.',
    rule: { all: [PATTERN, { any: [MATCHED_BY_TEXT, MATCHES_TEXT] }] },
    slowOn: 'SUBJECT',
    where: 'production',
    examples: [
      {
        code: "const forms = {\n  number: /^(?:\\d+)?\\.?\\d+$/,\n  name: /^a$/,\n};\nexport const read = (text, form) => forms[form].exec(text);\nconst ENDS = [/^a$/, /\\s+$/];\nexport function hasEnd(text) {\n  for (const end of ENDS) {\n    if (end.test(text)) return true;\n  }\n  return ENDS.some((each) => each.test(text));\n}\nconst matcher = (pattern) => (text) =>\n  pattern.exec(text);\nexport const last = matcher(/\\s+$/);\nconst SPACE = '\\\\s+';\nconst unit = new RegExp('^((?:\\\\d+)?\\\\.?\\\\d+) *(' + ['s', 'm'].join('|') + ')?$', 'i');\nexport const size = (text) => unit.exec(text) ?? text.match(new RegExp(`${SPACE}$`));\n",
        lines: [5, 9, 11, 14, 18, 18],
      },
      {
        code: "const forms = { name: /^a$/, end: /^b\\s{1,9}$/ };\nexport const read = (text, form) => forms[form].exec(text);\nconst matcher = (pattern) => (text) =>\n  pattern.exec(text);\nexport const last = matcher(/^\\s+$/);\nexport const size = (text, start) => text.match(new RegExp('^' + start + '\\\\s+$'));\n",
        lines: [],
      },
      {
        code: "export const trim = (text) => text.replace(/\\s+$/, '');\nexport function isAddress(text) {\n  return /^\\S+@\\S+$/.test(text);\n}\nconst listed = / *, */;\nexport const split = (header) => String(header).split(listed);\nconst a = /^a+$/;\nconst forms = { number: /^(?:\\d+)?\\.?\\d+$/ };\nexport const read = (text, wide) => (wide ? forms.number : a).exec(text) ?? text.match(wide ? forms.number : a);\n",
        lines: [1, 3, 6, 9],
      },
      {
        code: 'const loose = new RegExp("\\\\s+$");\nconst strict = /^a$/;\nexport const trim = (text, isStrict) => {\n  const end = isStrict ? strict : loose;\n  return text.replace(end, "").replace(new RegExp("b+$"), "").replace(new RegExp(strict + "c+$"), "");\n};\n',
        lines: [5, 5],
      },
      {
        code: "const a = /\\s+$/;\nexport const trim = (text) => text.replace(/^\\s+/, '').replace(/\\s{1,20}$/, '').trimEnd();\nexport const version = () => process.version.replace(/\\.+$/, '');\nexport function name() {\n  const file = path.basename(import.meta.url);\n  return file.replace(/\\s+$/, '') + 'some text'.replace(a, '');\n}\nexport const first = (list, b) => list.split(b);\n",
        lines: [],
      },
      {
        code: "module.exports = run;\nfunction run(given) {\n  const own = given.trim();\n  return own.replace(/\\s+$/, '') + clean(own);\n}\nfunction clean(value /* : string */) {\n  value = value.toLowerCase();\n  return value.replace(/\\s+$/, '');\n}\n",
        lines: [4, 8],
      },
      {
        code: "module.exports = function (options) {\n  const lines = read(options.file).split('\\n');\n  lines.forEach(function (line) {\n    use(line.replace(/\\s+$/, ''));\n  });\n  return options.folder.replace(/\\/+$/, '') + process.env.A.replace(/\\s+$/, '');\n};\n",
        lines: [],
      },
      { code: "function clean(value) {\n  return value.replace(/\\s+$/, '');\n}\n", lines: [] },
      { code: "function clean(req) {\n  return req.body.title.replace(/\\s+$/, '');\n}\n", lines: [2] },
    ],
  },
];
