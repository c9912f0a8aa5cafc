import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { CHANGES_STATE } from '../../model/changes-state.ts';
import { sqlWithValue } from './sql-with-value.ts';

const C_SHARP = ['CSharp'] as const;

/** A string with an inserted value: `$"…{value}"`, or a literal joined to something that is not one. */
const COMPOSED: GrepNode = {
  any: [
    { kind: 'interpolated_string_expression', has: { kind: 'interpolation' } },
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\+$' } },
        { has: { kind: 'string_literal', stopBy: 'end' } },
        {
          has: {
            any: ['identifier', 'member_access_expression', 'invocation_expression', 'element_access_expression'].map(
              (kind) => ({ kind }),
            ),
            stopBy: { not: { kind: 'binary_expression' } },
          },
        },
      ],
    },
    { kind: 'invocation_expression', regex: '^[Ss]tring\\.Format\\(' },
  ],
};
const SQL: GrepNode = { all: [{ pattern: '$SQL' }, COMPOSED, sqlWithValue('(\\{|"\\s*\\+)')] };
const FIRST_IS_SQL: GrepNode = {
  field: 'arguments',
  has: { kind: 'argument', nthChild: { position: 1, ofRule: { kind: 'argument' } }, has: SQL },
};
const IN_CLASS = (body: string): string => `class A\n{\n${body}}\n`;

export const C_SHARP_RULES: readonly StructuralRule[] = [
  {
    id: 'cs-empty-catch',
    languages: C_SHARP,
    severity: 'P2',
    blocking: false,
    title: 'Empty catch block swallows every exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle or log the exception, catch only the expected type, or explain in a comment inside the block why every exception can be ignored.',
    rule: {
      kind: 'catch_clause',
      has: { field: 'body', regex: '^\\{\\s*\\}$' },
      inside: { kind: 'try_statement', has: { field: 'body', regex: CHANGES_STATE } },
      not: {
        any: [
          { has: { kind: 'catch_filter_clause' } },
          { has: { kind: 'catch_declaration', not: { has: { field: 'type', regex: '^(System\\.)?Exception$' } } } },
          // One statement is usually a clean-up that may fail.
          { inside: { kind: 'try_statement', has: { field: 'body', regex: '^\\{[^;{}]*;?\\s*\\}$' } } },
        ],
      },
    },
    where: 'production',
    examples: [
      {
        code: IN_CLASS('  void F()\n  {\n    try { Check(); Save(); }\n    catch (Exception e) { }\n  }\n'),
        lines: [6],
      },
      { code: IN_CLASS('  void F()\n  {\n    try { Check(); Save(); } catch { }\n  }\n'), lines: [5] },
      {
        code: IN_CLASS(
          '  void F()\n  {\n    try { Check(); Save(); } catch (OperationCanceledException) { }\n    try { stream.Close(); } catch { }\n    try { Check(); Parse(); } catch { }\n    try { Check(); Save(); } catch { /* the cache is optional */ }\n    try { Save(); } catch (Exception e) { Log(e); }\n  }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-async-void',
    languages: C_SHARP,
    severity: 'P2',
    blocking: true,
    title: 'Exception of an async void method ends the process',
    explanation:
      'Nobody can await the method, and an exception in it cannot be caught by the caller. Return `Task`; only event handlers need `async void`.',
    rule: {
      any: [{ kind: 'method_declaration' }, { kind: 'local_function_statement' }],
      all: [
        { has: { kind: 'modifier', regex: '^async$' } },
        { any: [{ has: { field: 'returns', regex: '^void$' } }, { has: { field: 'type', regex: '^void$' } }] },
        {
          not: {
            any: [
              { has: { kind: 'modifier', regex: '^override$' } },
              { has: { kind: 'attribute_list' } },
              { has: { kind: 'explicit_interface_specifier' } },
              { has: { field: 'name', regex: '^(On|Handle)[A-Z]|_|Handler$|(Click|Changed|Clicked|ed|Execute)$' } },
              {
                has: {
                  field: 'parameters',
                  has: {
                    kind: 'parameter',
                    has: { field: 'type', regex: '(Args|Event|EventData|Message|^object|^Object|State)\\??$' },
                  },
                },
              },
              {
                has: {
                  kind: 'block',
                  regex:
                    '^\\{\\s*try\\b[\\s\\S]*\\bcatch\\s*(\\(\\s*(System\\.)?Exception\\b[^)]*\\)\\s*)?\\{[\\s\\S]*\\}\\s*\\}$',
                },
              },
            ],
          },
        },
      ],
    },
    examples: [
      { code: IN_CLASS('  public async void Save(User user)\n  {\n    await store.Write(user);\n  }\n'), lines: [3] },
      {
        code: IN_CLASS(
          '  public async Task Save(User user) => await store.Write(user);\n  async void SaveButton_Click(object sender, EventArgs e) => await Save(user);\n  protected override async void OnStart() => await Save(user);\n',
        ),
        lines: [],
      },
      {
        code: IN_CLASS(
          '  public async void Start()\n  {\n    try { await Run(); }\n    catch (Exception e) { log.Error(e); }\n  }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-rethrow-loses-stack',
    languages: C_SHARP,
    severity: 'P3',
    blocking: false,
    title: 'Rethrown exception loses its stack trace',
    explanation: '`throw e;` starts the stack trace here, which hides the place of the failure. Write `throw;`.',
    rule: {
      kind: 'throw_statement',
      has: { pattern: '$ERROR', kind: 'identifier' },
      inside: {
        stopBy: { kind: 'catch_clause' },
        kind: 'catch_clause',
        has: { kind: 'catch_declaration', has: { field: 'name', pattern: '$ERROR' } },
      },
      not: {
        inside: {
          stopBy: { kind: 'catch_clause' },
          kind: 'catch_clause',
          has: {
            stopBy: 'end',
            kind: 'assignment_expression',
            has: { field: 'left', pattern: '$ERROR' },
          },
        },
      },
    },
    fix: 'throw;',
    examples: [
      {
        code: IN_CLASS(
          '  void F()\n  {\n    try { Save(); }\n    catch (Exception e)\n    {\n      throw e;\n    }\n  }\n',
        ),
        lines: [8],
        suggestion: '      throw;',
      },
      {
        code: IN_CLASS(
          '  void F()\n  {\n    try { Save(); }\n    catch (Exception e)\n    {\n      if (e is IOException) throw;\n      throw new StoreException(e);\n    }\n  }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-sql-concat',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Use a parameter (`@id`), or `FromSql` and `ExecuteSql`, which turn interpolated values into parameters.',
    rule: {
      any: [
        {
          kind: 'object_creation_expression',
          all: [{ has: { field: 'type', regex: 'Command$' } }, { has: FIRST_IS_SQL }],
        },
        {
          kind: 'assignment_expression',
          all: [{ has: { field: 'left', regex: '(^|\\.)CommandText$' } }, { has: { field: 'right', all: [SQL] } }],
        },
        {
          kind: 'invocation_expression',
          all: [
            {
              has: {
                field: 'function',
                regex:
                  '\\.(ExecuteSqlRaw|FromSqlRaw|SqlQueryRaw|ExecuteSqlCommand|SqlQuery|(Execute|ExecuteScalar|ExecuteReader|Query|QueryFirst|QueryFirstOrDefault|QuerySingle|QuerySingleOrDefault|QueryMultiple))(Async)?(<[^()]*>)?$',
              },
            },
            { has: FIRST_IS_SQL },
          ],
        },
      ],
    },
    builds: { for: 'sql', from: 'SQL' },
    graveIf: 'outside or text',
    where: 'production',
    examples: [
      {
        code: IN_CLASS(
          '  void F(int id, string name)\n  {\n    db.Execute($"DELETE FROM users WHERE id = {id}");\n    db.Execute($"DELETE FROM users WHERE name = \'{name}\'");\n  }\n',
        ),
        lines: [6],
      },
      {
        code: IN_CLASS(
          '  void F()\n  {\n    var c = new SqlCommand("SELECT * FROM users WHERE name = \'" + name + "\'", db);\n    c.CommandText = $"DELETE FROM users WHERE id = {id}";\n    db.Query<User>($"SELECT * FROM users WHERE name LIKE \'%{text}%\'");\n  }\n',
        ),
        lines: [5, 6, 7],
        mild: [5, 6, 7],
      },
      {
        code: IN_CLASS(
          '  void F()\n  {\n    var c = new SqlCommand("SELECT * FROM users WHERE id = @id", db);\n    c.CommandText = $"SELECT {Columns} FROM {Table} WHERE id = @{name}";\n    context.Users.FromSql($"SELECT * FROM users WHERE id = {id}");\n    db.Query<User>($"SELECT * FROM users WHERE id IN ({placeholders})", ids);\n  }\n',
        ),
        lines: [],
      },
    ],
  },
  {
    id: 'cs-shell-by-string',
    languages: C_SHARP,
    severity: 'P1',
    blocking: true,
    title: 'Shell command is built from a string',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Start the program itself, and add each argument to `ArgumentList`.',
    rule: {
      all: [
        COMPOSED,
        { regex: '^(String\\.Format\\(|string\\.Format\\(|[$@]*)"\\s*(-c\\s+(\\\\"|"")|(/c|/C|-Command)\\s)' },
        // A path of the program itself, in quotes.
        { not: { regex: '(?i)^[$@]*"\\s*/c\\s+\\\\"\\{\\w*(path|file|exe)\\w*\\}\\\\""$' } },
        { not: { inside: { kind: 'binary_expression' } } },
      ],
    },
    builds: { for: 'shell' },
    graveIf: 'outside',
    where: 'production',
    examples: [
      {
        code: IN_CLASS(
          '  void F()\n  {\n    Process.Start("cmd.exe", $"/c del {path}");\n    var start = new ProcessStartInfo { FileName = "/bin/sh", Arguments = "-c \\"ls " + path + "\\"" };\n  }\n',
        ),
        lines: [5, 6],
        mild: [5, 6],
      },
      {
        code: 'public class ToolsController : ControllerBase\n{\n  public IActionResult Ping(string host, int count)\n  {\n    Process.Start("cmd", "/c ping " + host);\n    Process.Start("cmd", $"/c ping -n {count}");\n    Process.Start("cmd", $"/c ping {Own()}");\n  }\n}\n',
        lines: [5, 7],
        mild: [7],
      },
      {
        code: IN_CLASS(
          '  void F(HttpContext context)\n  {\n    var name = context.Request.Query["name"];\n    Process.Start("bash", string.Format("-c \\"ls {0}\\"", name));\n    Process.Start("cmd", "/c " + context.Request.Query["name"]);\n  }\n  [HttpPost]\n  public void G(string name)\n  {\n    Process.Start("bash", $"-c \\"ls {name}\\"");\n  }\n',
        ),
        lines: [6, 7, 12],
      },
      { code: 'app.MapGet("/run", (string name) => Process.Start("cmd", "/c " + name));\n', lines: [1] },
      {
        code: IN_CLASS(
          '  void F(string[] args)\n  {\n    var copy = Path.GetTempFileName();\n    Process.Start("bash", $"-c \\"cat {copy} | xclip -i\\"");\n    var folder = AppDomain.CurrentDomain.BaseDirectory;\n    Process.Start("cmd.exe", $"/c timeout 5 & rd /s /q \\"{folder}\\"");\n  }\n',
        ),
        lines: [],
      },
      {
        code: IN_CLASS(
          '  void F()\n  {\n    Process.Start("git", $"-C {path} status");\n    Process.Start("cmd.exe", "/c date");\n  }\n',
        ),
        lines: [],
      },
    ],
  },
];
