import type { StructuralRule } from '../../model/rule.ts';
import { CHANGES_STATE } from '../../model/changes-state.ts';

const CPP = ['Cpp'] as const;

const body = (lines: string): string => `void f()\n{\n${lines}}\n`;

export const CPP_RULES: readonly StructuralRule[] = [
  {
    id: 'cpp-empty-catch',
    languages: CPP,
    severity: 'P2',
    blocking: false,
    title: 'Empty catch block swallows every exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle or log the exception, catch only the expected type, or explain in a comment inside the block why every exception can be ignored.',
    rule: {
      kind: 'catch_clause',
      inside: { kind: 'try_statement', has: { field: 'body', regex: CHANGES_STATE } },
      all: [
        { has: { field: 'body', regex: '^\\{\\s*\\}$' } },
        { has: { field: 'parameters', regex: '^\\(\\s*(\\.\\.\\.|(const\\s+)?std::exception\\b[^)]*)\\s*\\)$' } },
      ],
      not: {
        any: [
          { inside: { stopBy: 'end', kind: 'function_definition', has: { stopBy: 'end', kind: 'destructor_name' } } },
          // One statement is usually a clean-up that may fail.
          { inside: { kind: 'try_statement', has: { field: 'body', regex: '^\\{[^;{}]*;?\\s*\\}$' } } },
        ],
      },
    },
    where: 'production',
    examples: [
      { code: body('  try { check(); save(); }\n  catch (...) {}\n'), lines: [4] },
      {
        code: body(
          '  try { check(); save(); } catch (const not_found&) {}\n  try { check(); save(); } catch (...) { /* optional */ }\n  try { close(); } catch (...) {}\n  try { check(); parse(); } catch (...) {}\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cpp-throw-new',
    languages: CPP,
    severity: 'P2',
    blocking: true,
    title: 'Pointer is thrown',
    explanation:
      'A handler for the type does not catch the pointer, and nobody frees it. Throw the value: remove `new`.',
    rule: { kind: 'throw_statement', has: { kind: 'new_expression' } },
    examples: [
      { code: body('  throw new std::runtime_error("closed");\n'), lines: [3] },
      { code: body('  throw std::runtime_error("closed");\n'), lines: [] },
    ],
  },
  {
    id: 'cpp-catch-by-value',
    languages: CPP,
    severity: 'P2',
    blocking: false,
    title: 'Exception is caught by value',
    explanation:
      'The copy has the caught type, so the message and data of a derived exception are lost. Catch a const reference.',
    rule: {
      kind: 'catch_clause',
      has: {
        field: 'parameters',
        regex: '^\\(\\s*(const\\s+)?std::(exception|runtime_error|logic_error|system_error)(\\s+\\w+)?\\s*\\)$',
      },
    },
    examples: [
      { code: body('  try { save(); } catch (std::exception e) { log(e.what()); }\n'), lines: [3] },
      { code: body('  try { save(); } catch (const std::exception& e) { log(e.what()); }\n'), lines: [] },
    ],
  },
  {
    id: 'cpp-dangling-text',
    languages: CPP,
    severity: 'P1',
    blocking: true,
    title: 'Pointer outlives the text it points to',
    explanation:
      'The temporary string is freed at the end of this statement. Keep the string in a variable and call `c_str` on it.',
    rule: {
      kind: 'init_declarator',
      all: [
        { has: { field: 'declarator', kind: 'pointer_declarator' } },
        {
          has: {
            field: 'value',
            kind: 'call_expression',
            regex:
              '((?i:stream|ss|buf|out|msg)\\w*\\.str\\(\\)|\\bto_string\\([^()]*\\)|std::string\\([^()]*\\)|\\(.*"\\s*\\+.*\\))\\.c_str\\(\\)$',
          },
        },
      ],
    },
    examples: [
      { code: body('  const char* text = stream.str().c_str();\n'), lines: [3] },
      {
        code: body(
          '  const std::string text = stream.str();\n  const char* label = node.str().c_str();\n  const char* begin = text.c_str();\n  use(stream.str().c_str());\n',
        ),
        lines: [],
      },
    ],
  },
];
