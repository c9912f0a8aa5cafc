import type { GrepNode, StructuralRule } from '../../model/rule.ts';

const C_FAMILY = ['C', 'Cpp'] as const;

const inFunction = (node: GrepNode): GrepNode => ({
  inside: { stopBy: 'end', kind: 'function_definition', has: { stopBy: 'end', ...node } },
});
const FIXED_BUFFER: GrepNode = {
  kind: 'array_declarator',
  all: [{ has: { field: 'declarator', pattern: '$BUFFER' } }, { has: { field: 'size', regex: '.' } }],
};
/** The function measures the text or the buffer somewhere, so the copy is probably checked. */
const MEASURED: GrepNode = {
  any: [
    inFunction({ pattern: { context: 'f(sizeof($BUFFER));', selector: 'sizeof_expression' } }),
    inFunction({ pattern: { context: 'f(sizeof $BUFFER);', selector: 'sizeof_expression' } }),
    inFunction({ pattern: { context: 'strlen($TEXT);', selector: 'call_expression' } }),
  ],
};
const PARAMETER: GrepNode = {
  any: [
    inFunction({
      kind: 'parameter_declaration',
      regex: '\\bchar\\b',
      has: { stopBy: 'end', pattern: '$TEXT', kind: 'identifier' },
    }),
  ],
};
const call = (name: string): GrepNode => ({
  kind: 'call_expression',
  has: { field: 'function', regex: `^(std::)?${name}$` },
});

const body = (lines: string): string => `void f(const char *name)\n{\n${lines}}\n`;

export const C_STRING_RULES: readonly StructuralRule[] = [
  {
    id: 'c-gets',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'gets writes past its buffer',
    explanation: '`gets` cannot know the size of the buffer, so a long line overwrites memory. Use `fgets`.',
    rule: {
      kind: 'call_expression',
      all: [
        { has: { field: 'function', regex: '^gets$' } },
        { has: { field: 'arguments', regex: '^\\(\\s*\\w+\\s*\\)$' } },
      ],
    },
    examples: [
      { code: body('  char line[80];\n  gets(line);\n'), lines: [4] },
      { code: body('  char line[80];\n  fgets(line, sizeof line, stdin);\n'), lines: [] },
    ],
  },
  {
    id: 'c-copy-into-fixed-buffer',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Text of unknown length is copied into a fixed buffer',
    explanation:
      'A long text overwrites the memory behind the buffer. Use `snprintf(buffer, sizeof buffer, "%s", text)` and check its result.',
    rule: {
      kind: 'call_expression',
      all: [
        {
          any: [
            { pattern: { context: 'strcpy($BUFFER, $TEXT);', selector: 'call_expression' } },
            { pattern: { context: 'strcat($BUFFER, $TEXT);', selector: 'call_expression' } },
          ],
        },
        inFunction(FIXED_BUFFER),
        PARAMETER,
        { not: MEASURED },
      ],
    },
    where: 'production',
    examples: [
      { code: body('  char path[64];\n  strcpy(path, name);\n'), lines: [4] },
      {
        code: body('  char path[64];\n  strcpy(path, "/tmp");\n  snprintf(path, sizeof path, "%s", name);\n'),
        lines: [],
      },
      { code: body('  char path[64];\n  if (strlen(name) > 63) return;\n  strcpy(path, name);\n'), lines: [] },
    ],
  },
  {
    id: 'c-format-from-variable',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Variable is used as the format',
    explanation: 'A `%` in the text reads or writes memory that the call does not own. Print the text with `"%s"`.',
    rule: {
      all: [
        {
          any: [
            'printf($TEXT)',
            'fprintf($FILE, $TEXT)',
            'syslog($PRIORITY, $TEXT)',
            'sprintf($TO, $TEXT)',
            'snprintf($TO, $SIZE, $TEXT)',
          ].map((context) => ({ pattern: { context: `${context};`, selector: 'call_expression' } })),
        },
        {
          any: [
            inFunction({
              kind: 'parameter_declaration',
              regex: '\\bchar\\b',
              has: { stopBy: 'end', pattern: '$TEXT', kind: 'identifier' },
            }),
            inFunction({
              kind: 'array_declarator',
              has: { field: 'declarator', pattern: '$TEXT' },
              inside: { kind: 'declaration' },
            }),
          ],
        },
      ],
    },
    constraints: { TEXT: { kind: 'identifier', not: { regex: '(?i:fmt|format|template)|^[A-Z_0-9]+$' } } },
    examples: [
      { code: body('  printf(name);\n  fprintf(stderr, name);\n'), lines: [3, 4] },
      { code: body('  printf("%s", name);\n  printf(USAGE);\n  printf("usage: tool\\n");\n'), lines: [] },
    ],
  },
  {
    id: 'c-scan-without-width',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Input of unknown length is read into a buffer',
    explanation:
      'A long word overwrites the memory behind the buffer. Give the width, such as `%63s` for a buffer of 64 characters.',
    rule: {
      kind: 'call_expression',
      all: [
        { has: { field: 'function', regex: '^(std::)?f?scanf$' } },
        { has: { field: 'arguments', has: { kind: 'string_literal', regex: '%(s|\\[)' } } },
      ],
    },
    where: 'production',
    examples: [
      { code: body('  char word[64];\n  scanf("%s", word);\n'), lines: [4] },
      {
        code: body(
          '  char word[64];\n  scanf("%63s", word);\n  scanf("%*s %d", &count);\n  fscanf(file, "%ms", &text);\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'c-shell-by-string',
    languages: C_FAMILY,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Use `posix_spawn` or `execv` with an argument list, which bypasses the shell.',
    rule: {
      any: [
        {
          all: [
            {
              any: ['system($COMMAND)', 'popen($COMMAND, $MODE)'].map((context) => ({
                pattern: { context: `${context};`, selector: 'call_expression' },
              })),
            },
            {
              any: [
                inFunction({
                  all: [
                    call('snprintf'),
                    { regex: '%s', pattern: '$BUILT' },
                    { has: { field: 'arguments', has: { nthChild: 1, pattern: '$COMMAND' } } },
                  ],
                }),
                inFunction({
                  all: [
                    call('sprintf'),
                    { regex: '%s', pattern: '$BUILT' },
                    { has: { field: 'arguments', has: { nthChild: 1, pattern: '$COMMAND' } } },
                  ],
                }),
                inFunction({
                  all: [
                    call('asprintf'),
                    { regex: '%s', pattern: '$BUILT' },
                    { has: { field: 'arguments', has: { nthChild: 1, pattern: '&$COMMAND' } } },
                  ],
                }),
              ],
            },
          ],
        },
        {
          kind: 'call_expression',
          pattern: '$BUILT',
          all: [
            { has: { field: 'function', regex: '^(std::)?(system|popen)$' } },
            { has: { field: 'arguments', regex: '^\\(\\s*\\(.*"\\s*\\+\\s*[a-z_]\\w*[\\s\\S]*\\)\\.c_str\\(\\)' } },
          ],
        },
      ],
    },
    graveIf: 'outside or parameter',
    graveOn: 'BUILT',
    where: 'production',
    examples: [
      {
        code: body('  char line[200];\n  snprintf(line, sizeof line, "gzip %s", name);\n  system(line);\n'),
        lines: [5],
      },
      {
        code: 'int open_uri(const char *uri, struct entry *entry)\n{\n  char line[200];\n  sprintf(line, "xdg-open %s", uri);\n  system(line);\n}\nint check(struct entry *entry)\n{\n  char line[200];\n  sprintf(line, "%s/check %s", DIR, entry->host);\n  system(line);\n}\nint main(int argc, char **argv)\n{\n  char line[200], name[40];\n  snprintf(line, sizeof line, "ls %s", argv[1]);\n  system(line);\n  fgets(name, sizeof name, stdin);\n  snprintf(line, sizeof line, "ls %s", name);\n  system(line);\n}\n',
        lines: [5, 11, 17, 20],
        mild: [11],
      },
      {
        code: body(
          '  system("sync");\n  char line[200];\n  snprintf(line, sizeof line, "kill %d", child);\n  system(line);\n',
        ),
        lines: [],
      },
    ],
  },
];
