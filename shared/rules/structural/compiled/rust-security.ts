import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { sqlWithValue } from './sql-with-value.ts';

const RUST = ['Rust'] as const;

const FORMATTED: GrepNode = { kind: 'macro_invocation', has: { field: 'macro', regex: '^format$' } };
const FORMATTED_SQL: GrepNode = { all: [{ pattern: '$SQL' }, FORMATTED, sqlWithValue('\\{')] };
/** Code in a module for tests, which Rust keeps beside the code. */
export const RUST_TEST_CODE: GrepNode = {
  inside: { stopBy: 'end', kind: 'mod_item', has: { field: 'name', regex: '(?i)^tests?$|_tests?$' } },
};
const inFunction = (body: string): string => `fn f() {\n${body}}\n`;

export const RUST_SECURITY_RULES: readonly StructuralRule[] = [
  {
    id: 'rs-sql-concat',
    languages: RUST,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Use a placeholder and bind the value.',
    rule: {
      kind: 'call_expression',
      all: [
        {
          has: {
            field: 'function',
            regex:
              '(^|::|\\.)(query|query_as|query_scalar|query_with|sql_query|execute|batch_execute|execute_batch|prepare|query_row|query_one|query_opt|raw_sql)(::<[^()]*>)?$',
          },
        },
        {
          has: {
            field: 'arguments',
            has: {
              any: [
                FORMATTED_SQL,
                { kind: 'reference_expression', has: FORMATTED_SQL },
                { regex: '^format!', has: { stopBy: 'end', any: [FORMATTED_SQL] } },
              ],
            },
          },
        },
        { not: RUST_TEST_CODE },
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: inFunction(
          '    sqlx::query(&format!("SELECT * FROM users WHERE name = \'{}\'", name)).fetch_all(&pool);\n    conn.execute(&format!("DELETE FROM users WHERE id = {id}"), []);\n    diesel::sql_query(format!("UPDATE users SET name = \'{}\' WHERE id = 1", name));\n',
        ),
        lines: [2, 3, 4],
        mild: [2, 3, 4],
      },
      {
        code: 'async fn find(Path(id): Path<String>, db: &Db) {\n    sqlx::query(&format!("DELETE FROM users WHERE id = {}", id)).execute(db);\n}\nfn rename(name: &str, age: u8) {\n    conn.execute(&format!("UPDATE users SET age = {age} WHERE name = \'{name}\'"), []);\n    conn.execute(&format!("DELETE FROM users WHERE age = {age}"), []);\n}\n',
        lines: [2, 5],
      },
      {
        code: inFunction(
          '    sqlx::query("SELECT * FROM users WHERE id = $1").bind(id);\n    conn.execute(&format!("SELECT {columns} FROM {table} WHERE id = ?1"), [id]);\n    conn.execute(&format!("DELETE FROM t WHERE id IN ({placeholders})"), ids);\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'rs-shell-by-string',
    languages: RUST,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Run the program itself with `Command::new` and one `arg` per argument.',
    rule: {
      kind: 'macro_invocation',
      regex: '^format!',
      inside: {
        stopBy: { kind: 'block' },
        kind: 'call_expression',
        regex:
          '^([\\w:]*::)?Command::new\\(\\s*"(/bin/|/usr/bin/)?(sh|bash|zsh|cmd|cmd\\.exe|powershell)"\\s*\\)[\\s\\S]*\\.(arg\\(\\s*"(-c|/C|/c|-Command|-lc)"\\s*\\)\\s*\\.arg\\(\\s*&?format!\\([^;]*\\)$|args\\(\\s*&?\\[\\s*"(-c|/C|/c|-Command|-lc)"\\s*,\\s*&?format!\\([^;]*\\)$)',
      },
    },
    builds: { for: 'shell' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: inFunction(
          '    Command::new("sh").arg("-c").arg(format!("ls {}", path)).output();\n    Command::new("bash")\n        .args(["-c", &format!("rm {path}")])\n        .status();\n',
        ),
        lines: [2, 4],
        mild: [2, 4],
      },
      {
        code: '#[get("/ping/<host>")]\nfn ping(host: String, count: u8) {\n    Command::new("sh").arg("-c").arg(format!("ping {}", host)).output();\n    Command::new("sh").arg("-c").arg(format!("ping -c {count} ::1")).output();\n}\nasync fn list(Query(params): Query<Params>) {\n    Command::new("sh").arg("-c").arg(format!("ls {path}", path = params.path)).output();\n}\n',
        lines: [3, 7],
      },
      {
        code: inFunction(
          '    Command::new("ls").arg(format!("--color={}", when)).output();\n    Command::new("sh").arg("-c").arg("ls \\"$1\\"").arg("sh").arg(format!("{dir}/x")).output();\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'rs-tls-not-verified',
    languages: RUST,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Add a private certificate authority as a root certificate instead.',
    rule: {
      kind: 'call_expression',
      any: [
        {
          all: [
            {
              has: {
                field: 'function',
                regex:
                  '\\.(danger_accept_invalid_certs|danger_accept_invalid_hostnames|tls_danger_accept_invalid_certs)$',
              },
            },
            { has: { field: 'arguments', regex: '^\\(\\s*true\\s*\\)$' } },
          ],
        },
        {
          all: [
            { has: { field: 'function', regex: '\\.set_verify$' } },
            { has: { field: 'arguments', regex: '^\\(\\s*(\\w+::)*SslVerifyMode::NONE\\s*\\)$' } },
          ],
        },
      ],
      not: RUST_TEST_CODE,
    },
    where: 'production',
    examples: [
      {
        code: inFunction('    Client::builder()\n        .danger_accept_invalid_certs(true)\n        .build();\n'),
        lines: [2],
      },
      { code: inFunction('    builder.set_verify(SslVerifyMode::NONE);\n'), lines: [2] },
      {
        code: inFunction(
          '    Client::builder().danger_accept_invalid_certs(settings.insecure).build();\n    builder.set_verify(SslVerifyMode::PEER);\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'rs-token-not-verified',
    languages: RUST,
    severity: 'P1',
    blocking: true,
    title: 'Signature of the token is not verified',
    explanation: 'Anyone can write a token for any user. Decode with the key and a `Validation` for its algorithm.',
    rule: {
      kind: 'call_expression',
      has: {
        field: 'function',
        regex:
          '(\\.|::|^)(insecure_disable_signature_validation|dangerous_insecure_decode|insecure_decode)(::<[^()]*>)?$',
      },
      not: {
        any: [
          RUST_TEST_CODE,
          {
            inside: {
              stopBy: 'end',
              kind: 'function_item',
              has: { stopBy: 'end', kind: 'line_comment', regex: '(?i)insecure|verif|validat|signature|trust' },
            },
          },
        ],
      },
    },
    where: 'production',
    examples: [
      { code: inFunction('    validation.insecure_disable_signature_validation();\n'), lines: [2] },
      {
        code: 'fn insecure_read(token: &str) {\n    validation.insecure_disable_signature_validation();\n}\n',
        lines: [],
      },
      { code: inFunction('    let claims = decode::<Claims>(token, &key, &validation)?;\n'), lines: [] },
    ],
  },
];
