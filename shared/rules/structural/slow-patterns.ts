import type { GrepLanguage, GrepNode, StructuralRule } from '../model/rule.ts';

/** One character of a pattern: an escape, a class, or a plain character. */
const ATOM = '(?:\\\\+(?:p\\{\\w+\\}|[^\\s])|\\[(?:\\\\+.|[^\\]\\\\])+\\]|[A-Za-z0-9_ .@:;,=<>#%&!~"\'-])';
const GROUP = '\\((?:\\?:|\\?P?<\\w+>)?';
const MANY = '(?:[+*]|\\{\\d+,\\})\\??';
const OPTIONAL = `(?:${ATOM}[?*]\\??)*`;
const ALTERNATIVE = '(?:\\\\+.|\\[(?:\\\\+.|[^\\]\\\\])+\\]|[^()|\\\\\\[])*';
/** The repeated part is itself a repetition, alone or as one of the choices, and what follows can fail. */
const NESTED = [
  `${GROUP}${OPTIONAL}${ATOM}[+*]\\??${OPTIONAL}\\)`,
  `${GROUP}(?:${ALTERNATIVE}\\|)*${ATOM}[+*]\\??(?:\\|${ALTERNATIVE})*\\)`,
].map((group) => `${group}${MANY}`);
const slow = (end: string): GrepNode => ({ regex: `(${NESTED.join('|')})\\)*[^)${end}|?*+\\s]` });

const facts = {
  severity: 'P2',
  blocking: true,
  title: 'Regular expression can take exponential time',
  explanation:
    'A repetition inside a repetition matches the same text in very many ways, so a short text that does not match stops the program. Remove one of the two repetitions.',
  where: 'production',
} as const;

const called = (
  languages: readonly GrepLanguage[],
  id: string,
  rule: GrepNode,
  examples: StructuralRule['examples'],
): StructuralRule => ({
  ...facts,
  id,
  languages,
  rule,
  examples,
});

/** Engines that try alternatives one after the other. Go and Rust, and .NET with `NonBacktracking`, take linear time. */
export const SLOW_PATTERN_RULES: readonly StructuralRule[] = [
  called(
    ['JavaScript', 'TypeScript', 'Tsx'],
    'js-slow-pattern',
    {
      any: [
        { kind: 'regex', all: [slow('/')] },
        {
          kind: 'string',
          all: [slow('"\'')],
          inside: {
            kind: 'arguments',
            inside: { kind: 'new_expression', has: { field: 'constructor', regex: '^RegExp$' } },
          },
        },
      ],
    },
    [
      { code: 'const a = new RegExp("^(\\\\w+)*$");\nconst b = "(a+)+b";\n', lines: [1] },
      {
        code: 'const a = /^(\\w+)*$/;\nconst b = /"(?:[^"\\\\]+|\\\\.)*"/;\nconst c = /^(?:[a-z]+\\s?)+$/;\n',
        lines: [1, 2, 3],
      },
      {
        code: 'const a = /^\\w+(?:-\\w+)*$/;\nconst b = /"(?:[^"\\\\]|\\\\.)*"/;\nconst c = /(\\w+)+/;\nconst d = /^(?:[a-z]+\\s)+$/;\nconst e = /^(\\d+)?$/;\n',
        lines: [],
      },
    ],
  ),
  called(
    ['Python'],
    'py-slow-pattern',
    {
      kind: 'string',
      all: [slow('"\'')],
      inside: {
        kind: 'argument_list',
        inside: {
          kind: 'call',
          has: { field: 'function', regex: '^re\\.(compile|match|search|fullmatch|findall|finditer|sub|split)$' },
        },
      },
    },
    [
      { code: 'import re\nre.match(r"^(\\w+\\s?)*$", name)\n', lines: [2] },
      { code: 'import re\nre.match(r"^\\w+(?:\\s\\w+)*$", name)\nprint("(a+)+b")\n', lines: [] },
    ],
  ),
  called(
    ['Java'],
    'java-slow-pattern',
    {
      kind: 'string_literal',
      all: [slow('"')],
      inside: {
        kind: 'argument_list',
        inside: {
          kind: 'method_invocation',
          any: [
            { regex: '^Pattern\\.(compile|matches)\\(' },
            { has: { field: 'name', regex: '^(matches|replaceAll|replaceFirst)$' } },
          ],
        },
      },
    },
    [
      { code: 'class A {\n  Pattern p = Pattern.compile("^(\\\\w+)*$");\n}\n', lines: [2] },
      {
        code: 'class A {\n  Pattern p = Pattern.compile("^\\\\w+(?:-\\\\w+)*$");\n  String s = "(a+)+b";\n}\n',
        lines: [],
      },
    ],
  ),
];
