import type { StructuralRule } from '../model/rule.ts';

const TYPESCRIPT = ['TypeScript', 'Tsx'] as const;

/** Names of what users write, by the end of an expression, and Markdown, which may contain HTML. */
const WRITTEN_BY_USERS =
  '(?i)(comment|content|body|bio|about|post|reply|note|html|markdown|md|highlight|text|summary|lyrics|answer|question|preview|message|caption|signature)s?(\\)|\\s|!|\\?|\\|\\|.{0,20}|\\?\\?.{0,20})*$|marked|markdown|micromark|showdown|\\bmd\\.render';

export const TYPESCRIPT_RULES: readonly StructuralRule[] = [
  {
    id: 'ts-nocheck',
    languages: TYPESCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'Type checking is disabled for the whole file',
    explanation:
      'Later type errors in this file go unnoticed. Fix the types, or suppress single lines with `@ts-expect-error` and a reason.',
    rule: { kind: 'comment', regex: '^(//|/\\*)\\s*@ts-nocheck' },
    examples: [
      { code: '// @ts-nocheck\nexport const a = 1;\n', lines: [1] },
      { code: '// never use ts-nocheck here\nexport const a = 1;\n', lines: [] },
    ],
  },
  {
    id: 'ts-ignore-without-reason',
    languages: TYPESCRIPT,
    severity: 'P3',
    blocking: false,
    title: '@ts-ignore without a reason hides every error on the next line',
    explanation:
      'The comment also hides errors that are added later, and stays when the original error is gone. Use `@ts-expect-error` with a reason; `@ts-expect-error` fails once the error is gone.',
    rule: {
      kind: 'comment',
      regex: '^//\\s*@ts-ignore\\s*$',
      // A package without types, a name that its types lack, and a method of a library in a chain.
      not: {
        any: [
          { precedes: { kind: 'import_statement' } },
          { inside: { any: ['import_statement', 'named_imports', 'member_expression'].map((kind) => ({ kind })) } },
        ],
      },
    },
    where: 'production',
    examples: [
      {
        code: '// @ts-ignore\nimport wait from "wait-on";\nimport {\n  // @ts-ignore\n  Menu,\n} from "menus";\neditor\n  // @ts-ignore\n  .unset();\n',
        lines: [],
      },
      { code: '// @ts-ignore\nfs.createMockFiles();\n', lines: [], path: 'src/__tests__/files.ts' },
      { code: 'const a = 1;\n// @ts-ignore\nconst b: string = a;\n', lines: [2] },
      {
        code: '// @ts-expect-error the stub lacks a method\nconst b: string = a;\n// @ts-ignore the package has no types\nimport x from "x";\n',
        lines: [],
      },
    ],
  },
  {
    id: 'ts-optional-then-non-null',
    languages: TYPESCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'Non-null assertion contradicts the optional chain',
    explanation:
      '`?.` says that the value may be missing, but `!` claims that it is present; if it is missing, the next access throws. Handle the missing case.',
    rule: {
      kind: 'non_null_expression',
      has: {
        any: [
          { kind: 'member_expression', has: { kind: 'optional_chain' } },
          { kind: 'call_expression', has: { kind: 'member_expression', has: { kind: 'optional_chain' } } },
        ],
      },
    },
    examples: [
      { code: 'const name = user?.profile!.name;\n', lines: [1] },
      { code: 'const id = users?.find(isMe)!;\n', lines: [1] },
      { code: 'const name = user?.profile?.name ?? "";\nconst first = list[0]!;\n', lines: [] },
    ],
  },
  {
    id: 'tsx-unsafe-html',
    languages: ['JavaScript', 'Tsx'],
    severity: 'P1',
    blocking: true,
    title: 'Unsanitised HTML is inserted into the page',
    explanation:
      'Script in the value runs in the browser of everyone who views the page. Render the value as text, or sanitise it first (for example with DOMPurify).',
    rule: {
      kind: 'jsx_attribute',
      regex: '^dangerouslySetInnerHTML',
      // A style sheet or script, which a component computes from its own settings, and files that clean HTML.
      not: {
        any: [
          { inside: { regex: '^<(style|script)\\b' } },
          {
            inside: {
              kind: 'program',
              stopBy: 'end',
              regex: '(?i)purify|sanitize-?html|\\.saniti[sz]e\\w*\\(|from .xss.',
            },
          },
        ],
      },
      has: {
        kind: 'pair',
        stopBy: 'end',
        all: [
          { has: { field: 'key', regex: '^__html$' } },
          {
            has: {
              field: 'value',
              regex: WRITTEN_BY_USERS,
              not: {
                any: [
                  { kind: 'string' },
                  { kind: 'template_string', not: { has: { kind: 'template_substitution' } } },
                  { regex: '^[A-Z][A-Z0-9_]+$' },
                  { regex: '(?i)sanitiz|sanitis|escape|purify|json.?ld|stringify' },
                  {
                    regex:
                      '(?i)svg|icon|hljs|shiki|prism|highlight(ed)?_?(code|html|line|\\()|katex|mathjax|mermaid|\\bt\\(|i18n|translat|formatMessage',
                  },
                ],
              },
            },
          },
        ],
      },
    },
    where: 'production',
    examples: [
      {
        code: 'const cleaner = createCleaner(window);\nconst A = ({ body }) => {\n  const parsed = useMemo(() => cleaner.sanitize(body), [body]);\n  return <div dangerouslySetInnerHTML={{ __html: parsed.innerHTML }} />;\n};\n',
        lines: [],
      },
      {
        code: 'const A = () => <style dangerouslySetInnerHTML={{ __html: colours(theme) }} />;\nconst B = () => <i dangerouslySetInnerHTML={{ __html: closeIcon }} />;\nconst C = () => <p dangerouslySetInnerHTML={{ __html: t("help") }} />;\nconst D = () => <p dangerouslySetInnerHTML={{ __html: HELP }} />;\n',
        lines: [],
      },
      {
        code: 'const A = () => <div dangerouslySetInnerHTML={{ __html: page.body }} />;\n',
        lines: [],
        path: 'docs/src/Page.jsx',
      },
      {
        code: 'const A = () => <p dangerouslySetInnerHTML={{ __html: badge.description || "" }} />;\nconst B = ({ value }) => <span dangerouslySetInnerHTML={{ __html: value }} />;\nconst C = () => <div dangerouslySetInnerHTML={{ __html: data }} />;\n',
        lines: [],
      },
      {
        code: 'const A = () => <p dangerouslySetInnerHTML={{ __html: marked(badge.description) }} />;\nconst B = ({ html }) => <span dangerouslySetInnerHTML={{ __html: html }} />;\nconst C = () => <p dangerouslySetInnerHTML={{ __html: page.highlight ?? "" }} />;\n',
        lines: [1, 2, 3],
      },
      {
        code: 'import DOMPurify from "dompurify";\nconst clean = DOMPurify.sanitize(body);\nconst A = () => <div dangerouslySetInnerHTML={{ __html: clean }} />;\n',
        lines: [],
      },
      {
        code: 'const A = () => (\n  <div\n    dangerouslySetInnerHTML={{ __html: comment.body }}\n  />\n);\n',
        lines: [3],
      },
      {
        code: 'const A = () => <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(body) }}>{body}</div>;\n',
        lines: [],
      },
    ],
  },
];
