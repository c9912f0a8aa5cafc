import { CHANGES_STATE } from '../../model/changes-state.ts';
import type { StructuralRule } from '../../model/rule.ts';
import { called, PHP } from './php-calls.ts';

export const PHP_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'php-empty-catch',
    languages: PHP,
    severity: 'P2',
    blocking: true,
    title: 'Empty catch block swallows the exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle the exception, rethrow it, or explain in a comment inside the block why it can be ignored.',
    rule: {
      kind: 'catch_clause',
      regex: '^catch\\s*\\(\\s*\\\\?(Exception|Throwable)\\b',
      inside: {
        kind: 'try_statement',
        has: {
          field: 'body',
          regex: `${CHANGES_STATE}|(run|exec\\w*)Query\\(|(?i)(update|insert\\s+into|delete\\s+from)\\s`,
        },
      },
      has: { field: 'body', regex: '^\\{\\s*\\}$' },
    },
    silentIf: 'explained',
    examples: [
      { code: '<?php\ntry {\n  $db->updateObject($user);\n} catch (Exception $e) {\n}\n', lines: [4] },
      { code: '<?php\ntry {\n  $page = $dom->load($text);\n} catch (Exception $e) {\n}\n', lines: [] },
      { code: '<?php\ntry {\n  save();\n} catch (Exception $e) {\n  // best effort: only a cache\n}\n', lines: [] },
      { code: '<?php\ntry {\n  save();\n} catch (FileNotFound $e) {\n}\n', lines: [] },
    ],
  },
  {
    id: 'php-debug-output',
    languages: PHP,
    severity: 'P3',
    blocking: false,
    title: 'Leftover debug output',
    explanation: 'Debug output shows internals to visitors and breaks the page. Delete the line or log the value.',
    rule: {
      all: [called('^(var_dump|dd)$')],
      inside: { kind: 'expression_statement' },
      not: {
        inside: {
          stopBy: 'end',
          any: [{ kind: 'function_definition' }, { kind: 'method_declaration' }],
          has: { field: 'name', regex: '(?i)dump|debug' },
        },
      },
    },
    where: 'production',
    examples: [
      { code: '<?php\nvar_dump($user);\n', lines: [2] },
      { code: '<?php\nclass Export {\n  function dump() {\n    var_dump($this->row);\n  }\n}\n', lines: [] },
      { code: '<?php\n$text = var_export($user, true);\n$this->dd($user);\n', lines: [] },
    ],
  },
];
