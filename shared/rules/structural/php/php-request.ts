import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { anArgument, called, PHP, REQUEST } from './php-calls.ts';

/** Functions whose result contains the text of their argument. Of other functions, nobody knows what they return. */
const PASSES_ON =
  '(?i)^\\\\?(trim|ltrim|rtrim|strtolower|strtoupper|ucfirst|ucwords|str_replace|preg_replace|substr|mb_substr|stripslashes|addslashes|nl2br|urldecode|rawurldecode|base64_decode|sprintf|vsprintf|implode|join|print_r|wordwrap|str_pad|strrev|\\w*(link|url|href)\\w*)$';

const PRINTED: GrepNode = { any: [{ kind: 'echo_statement' }, { kind: 'print_intrinsic' }] };

/** Data of a request where a visitor must not choose it. */
export const PHP_REQUEST_RULES: readonly StructuralRule[] = [
  {
    id: 'php-extract-request',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'extract is called on request data',
    explanation: '`extract` lets a visitor overwrite every variable in this scope. Read the needed fields by name.',
    rule: {
      all: [called('^(extract|parse_str)$'), anArgument({ regex: `^${REQUEST}` })],
      // Into a list of its own, or without the names that exist.
      not: {
        any: [
          { regex: '^\\\\?parse_str\\b', has: { field: 'arguments', has: { kind: 'argument', nthChild: 2 } } },
          { regex: 'EXTR_(SKIP|PREFIX_ALL)' },
        ],
      },
    },
    examples: [
      { code: '<?php\nextract($_POST);\nparse_str($_GET["q"]);\n', lines: [2, 3] },
      { code: '<?php\nparse_str($_GET["a"], $all);\nextract($_GET, EXTR_SKIP);\n', lines: [] },
      { code: '<?php\nextract($row);\n$name = $_POST["name"];\n', lines: [] },
    ],
  },
  {
    id: 'php-echo-request',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Request data is printed without escaping',
    explanation:
      'Markup in the value runs as script in the browser of the visitor. Print the value through `htmlspecialchars`.',
    rule: {
      any: [{ kind: 'echo_statement' }, { kind: 'print_intrinsic' }],
      has: {
        kind: 'variable_name',
        regex: `^${REQUEST}`,
        stopBy: 'end',
        not: {
          any: [
            {
              inside: {
                stopBy: PRINTED,
                any: [
                  { kind: 'member_call_expression' },
                  { kind: 'scoped_call_expression' },
                  { kind: 'function_call_expression', not: { has: { field: 'function', regex: PASSES_ON } } },
                ],
              },
            },
            // The condition of a choice is not printed, but that of `a ?: b` is.
            {
              inside: {
                stopBy: PRINTED,
                kind: 'conditional_expression',
                field: 'condition',
                has: { field: 'body', regex: '.' },
              },
            },
          ],
        },
      },
      not: {
        regex:
          '(?i)htmlspecialchars|htmlentities|html_?chars|intval|\\(int\\)|json_encode|urlencode|isset|empty\\(|esc_|escape|sanitiz|clean|purif|filter_|strip_tags|\\b(e|h|hsc|html)\\(|encode|number_format|round\\(|count\\(|in_array|array_key_exists|\\[\\s*\\$_|\\]\\s*([=!]==?|[<>]=?)|([=!]==?|[<>])\\s*\\$_',
      },
    },
    examples: [
      { code: '<?php\necho "Hello " . $_GET["name"];\n', lines: [2] },
      { code: '<?php\necho $_GET["a"] ?: "";\necho ($a == "" && !$_POST ? " autofocus" : "");\n', lines: [2] },
      { code: '<?php\necho htmlspecialchars($_GET["name"]);\necho $name;\n', lines: [] },
      {
        code: '<?php\nprint "<a href=\'" . create_link($_GET["page"]) . "\'>";\nprint trim($_GET["page"]);\n',
        lines: [2, 3],
      },
      {
        code: '<?php\nprint $Subnets->print_menu($user, $_GET["section"]);\necho Format::htmlchars($_GET["q"]);\necho title_of($_GET["id"]);\n',
        lines: [],
      },
      {
        code: '<?php\necho $_GET["tab"] == "users" ? "active" : "";\necho $titles[$_GET["tab"]];\n',
        lines: [],
      },
    ],
  },
  {
    id: 'php-include-request',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Request parameter selects the included file',
    explanation:
      'A visitor can include any readable file, or a remote one. Look the name up in a list of allowed files.',
    rule: {
      any: [
        { kind: 'include_expression' },
        { kind: 'include_once_expression' },
        { kind: 'require_expression' },
        { kind: 'require_once_expression' },
      ],
      regex: REQUEST,
    },
    examples: [
      { code: '<?php\ninclude $_GET["page"] . ".php";\n', lines: [2] },
      { code: '<?php\nrequire_once __DIR__ . "/page.php";\n', lines: [] },
    ],
  },
];
