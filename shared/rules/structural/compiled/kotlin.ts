import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { CHANGES_STATE } from '../../model/changes-state.ts';
import { sqlWithValue } from './sql-with-value.ts';

const KOTLIN = ['Kotlin'] as const;

/** A string with an inserted value: `"…$value"`, or a literal joined to something that is not one. */
const COMPOSED: GrepNode = {
  any: [
    {
      kind: 'string_literal',
      has: { any: [{ kind: 'interpolated_identifier' }, { kind: 'interpolated_expression' }] },
    },
    {
      kind: 'additive_expression',
      all: [
        { has: { kind: 'string_literal', stopBy: 'end' } },
        {
          has: {
            any: ['simple_identifier', 'navigation_expression', 'call_expression'].map((kind) => ({ kind })),
            stopBy: 'end',
          },
        },
      ],
    },
  ],
};
const called = (names: string): GrepNode => ({
  kind: 'call_expression',
  has: {
    any: [
      { kind: 'simple_identifier', regex: `^(${names})$` },
      {
        kind: 'navigation_expression',
        has: { kind: 'navigation_suffix', nthChild: { position: 1, reverse: true }, regex: `^\\??\\.(${names})$` },
      },
    ],
  },
});
const firstArgument = (node: GrepNode): GrepNode => ({
  has: {
    kind: 'call_suffix',
    has: { kind: 'value_arguments', has: { kind: 'value_argument', nthChild: 1, has: node } },
  },
});
/** Code of the suspend function itself, not of a function or lambda in it. */
const IN_SUSPEND: GrepNode = {
  inside: {
    stopBy: { any: ['function_declaration', 'lambda_literal', 'anonymous_function'].map((kind) => ({ kind })) },
    kind: 'function_declaration',
    has: { kind: 'modifiers', has: { kind: 'function_modifier', regex: '^suspend$' } },
  },
};

const body = (lines: string): string => `fun f() {\n${lines}}\n`;

export const KOTLIN_RULES: readonly StructuralRule[] = [
  {
    id: 'kt-empty-catch',
    languages: KOTLIN,
    severity: 'P2',
    blocking: false,
    title: 'Empty catch block swallows every exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle or log the exception, catch only the expected type, or explain in a comment inside the block why every exception can be ignored.',
    rule: {
      kind: 'catch_block',
      regex: '^catch\\s*\\(\\s*\\w+\\s*:\\s*(Exception|Throwable)\\s*\\)\\s*\\{\\s*\\}$',
      inside: { kind: 'try_expression', has: { kind: 'statements', regex: CHANGES_STATE } },
      not: {
        any: [
          { regex: '^catch\\s*\\(\\s*(_|ignored?|expected|unused)\\s*:' },
          { inside: { kind: 'try_expression', not: { has: { kind: 'statements', has: { nthChild: 2 } } } } },
        ],
      },
    },
    where: 'production',
    examples: [
      { code: body('    try {\n        check()\n        save()\n    } catch (e: Exception) {\n    }\n'), lines: [5] },
      {
        code: body(
          '    try {\n        save()\n    } catch (_: Exception) {\n    }\n    try {\n        save()\n    } catch (e: Exception) {\n        // the cache is optional\n    }\n    try {\n        check()\n        parse()\n    } catch (e: Exception) {\n    }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'kt-blocking-in-suspend',
    languages: KOTLIN,
    severity: 'P2',
    blocking: true,
    title: 'Suspend function blocks its thread',
    explanation:
      'Other coroutines on this thread stop, and a small dispatcher can deadlock. Call suspend functions directly, and use `delay` instead of `Thread.sleep`.',
    rule: {
      any: [called('runBlocking'), { kind: 'call_expression', regex: '^Thread\\.sleep\\(' }],
      all: [IN_SUSPEND],
    },
    where: 'production',
    examples: [
      { code: 'suspend fun f() {\n    val user = runBlocking { load() }\n    Thread.sleep(100)\n}\n', lines: [2, 3] },
      {
        code: 'suspend fun f() {\n    delay(100)\n    withContext(IO) { Thread.sleep(100) }\n}\nfun main() = runBlocking { f() }\n',
        lines: [],
      },
    ],
  },
  {
    id: 'kt-global-scope',
    languages: KOTLIN,
    severity: 'P2',
    blocking: false,
    title: 'Coroutine outlives its owner',
    explanation:
      'Nothing cancels a coroutine of `GlobalScope`, and its errors reach nobody. Use the scope of the component, such as `viewModelScope` or a `CoroutineScope` that is cancelled at the end.',
    rule: {
      kind: 'call_expression',
      regex: '^GlobalScope\\s*\\.(launch|async)\\b[\\s\\S]*\\}$',
      not: { has: { kind: 'call_expression' } },
    },
    where: 'production',
    examples: [
      { code: body('    GlobalScope.launch { send() }\n'), lines: [2] },
      { code: body('    viewModelScope.launch { send() }\n'), lines: [] },
    ],
  },
  {
    id: 'kt-sql-concat',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Write `?` and pass the value as an argument.',
    rule: {
      all: [
        called(
          'rawQuery|execSQL|executeQuery|executeUpdate|execute|prepareStatement|createNativeQuery|createQuery|queryForObject|queryForList|compileStatement',
        ),
        firstArgument({ all: [{ pattern: '$SQL' }, COMPOSED, sqlWithValue('(\\$\\{?|"\\s*\\+)')] }),
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: 'fun f(name: String) {\n    db.rawQuery("SELECT * FROM users WHERE name = \'$name\'", null)\n}\n',
        lines: [2],
      },
      {
        code: body(
          '    db.rawQuery("SELECT * FROM users WHERE name = \'$name\'", null)\n    db.execSQL("DELETE FROM users WHERE id = " + id)\n    s.executeQuery("SELECT * FROM users WHERE name = \'${user.name}\'")\n',
        ),
        lines: [2, 3, 4],
        mild: [2, 3, 4],
      },
      {
        code: body(
          '    db.rawQuery("SELECT * FROM users WHERE name = ?", arrayOf(name))\n    db.execSQL("DELETE FROM $TABLE WHERE id = ?", arrayOf(id))\n    db.execSQL("DELETE FROM users WHERE kind = $KIND_OLD")\n    val last: Int = count()\n    db.execSQL("DELETE FROM users WHERE id > $last")\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'kt-shell-by-string',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'Command is built from a string',
    explanation:
      'A space in the inserted value adds arguments to the command. Give `ProcessBuilder` the program and its arguments as a list.',
    rule: {
      any: [
        {
          all: [
            {
              kind: 'call_expression',
              regex: '^Runtime\\.getRuntime\\(\\)\\s*\\.exec\\(',
              not: { regex: '(?i)absolutePath|canonicalPath|packageName|pid\\b' },
            },
            firstArgument({ all: [{ pattern: '$CMD' }, COMPOSED] }),
          ],
        },
        {
          all: [
            called('ProcessBuilder|exec|arrayOf|listOf'),
            { regex: '^[\\w.()]+\\(\\s*"(/bin/|/usr/bin/)?(sh|bash|su|cmd)"\\s*,\\s*"(-c|/c|/C)"\\s*,' },
            {
              has: {
                kind: 'call_suffix',
                has: {
                  kind: 'value_arguments',
                  has: { kind: 'value_argument', nthChild: 3, has: { all: [{ pattern: '$CMD' }, COMPOSED] } },
                },
              },
            },
          ],
        },
      ],
    },
    builds: { for: 'shell', from: 'CMD' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: body(
          '    Runtime.getRuntime().exec("ping $host")\n    ProcessBuilder("sh", "-c", "ls " + path).start()\n',
        ),
        lines: [2, 3],
        mild: [2, 3],
      },
      {
        code: '@RestController\nclass A {\n    @GetMapping("/ping")\n    fun ping(@RequestParam host: String, count: Int) {\n        Runtime.getRuntime().exec("ping $host")\n        ProcessBuilder("sh", "-c", "ping -c $count").start()\n    }\n}\n',
        lines: [5],
      },
      {
        code: 'get("/ping") {\n    val host = call.parameters["host"]\n    ProcessBuilder("sh", "-c", "ping " + host).start()\n    Runtime.getRuntime().exec("ping $host")\n}\n',
        lines: [3, 4],
      },
      { code: body('    ProcessBuilder("ping", host).start()\n    Runtime.getRuntime().exec("date")\n'), lines: [] },
    ],
  },
  {
    id: 'kt-tls-not-verified',
    languages: KOTLIN,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Add a private certificate authority to a trust store instead.',
    rule: {
      any: [
        {
          kind: 'function_declaration',
          all: [
            { has: { kind: 'simple_identifier', regex: '^checkServerTrusted$' } },
            { has: { kind: 'function_body', regex: '^(\\{\\s*(//[^\\n]*\\s*)*\\}|=\\s*Unit)$' } },
          ],
        },
        {
          kind: 'call_expression',
          regex: '(?i:hostnameVerifier)\\s*(\\(\\s*)?\\{\\s*(\\w+\\s*,\\s*\\w+\\s*->)?\\s*true\\s*\\}\\s*\\)?$',
          not: { inside: { kind: 'value_argument' } },
        },
        {
          kind: 'function_declaration',
          all: [
            { has: { kind: 'simple_identifier', regex: '^onReceivedSslError$' } },
            { has: { kind: 'function_body', regex: '^\\{\\s*\\w+\\??\\.proceed\\(\\)\\s*\\}$' } },
          ],
        },
      ],
    },
    where: 'production',
    examples: [
      {
        code: 'class A : X509TrustManager {\n    override fun checkServerTrusted(chain: Array<X509Certificate>, type: String) {}\n}\n',
        lines: [2],
      },
      { code: body('    builder.hostnameVerifier { _, _ -> true }\n'), lines: [2] },
      {
        code: 'class A : X509TrustManager {\n    override fun checkServerTrusted(chain: Array<X509Certificate>, type: String) {\n        delegate.checkServerTrusted(chain, type)\n    }\n}\n',
        lines: [],
      },
    ],
  },
];
