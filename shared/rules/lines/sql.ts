import { type SqlStatement, sqlStatements } from './sql-statements.ts';
import type { TextRule } from '../model/rule.ts';
import { linesWhere, readable } from './line-matches.ts';
import { sqlVariable } from './sql-variables.ts';

const whereStatement =
  (test: (statement: SqlStatement) => boolean): TextRule['scan'] =>
  (lines) =>
    sqlStatements(lines)
      .filter(test)
      .map(({ startLine, endLine }) => [startLine, endLine]);

const PLACEHOLDER = /^(?:\$|:|\{|<|%|@|\?|.*(?:change|example|placeholder|your|dummy|xxx).*)/i;
const PASSWORD =
  /\b(?:CREATE|ALTER)\s+(?:USER|ROLE|LOGIN)\b[^;]{0,300}\b(?:IDENTIFIED\s+(?:WITH\s+\S{1,60}\s+)?BY|PASSWORD\s*=?)\s*'([^']{4,200})'/i;

/** Databases for tests and demonstrations. */
const NOT_IN_USE = /test|example|sample|demo|docker-entrypoint|devcontainer/i;

const hasPassword = ({ text }: SqlStatement): boolean => {
  const [, value] = PASSWORD.exec(text) ?? [];
  return value !== undefined && !PLACEHOLDER.test(value);
};

const DYNAMIC = /\bEXEC(?:UTE)?(?:\s+IMMEDIATE)?\s*\(?\s*'/i;
/** A value that a statement compares. What is inserted between brackets is a name, which no statement can take as a parameter. */
const COMPARED = /(?:=|\sLIKE)\s{0,20}(?:'{2,9}%?)?'\s{0,20}(?:\|\||\+)\s{0,20}(@?\w{1,100})/gi;
const QUOTED = /quote_(?:literal|nullable|ident)|QUOTENAME/i;

/** Grave for a parameter of the procedure, and for a name of which nothing is known. */
const dynamicValues: TextRule['scan'] = (lines) =>
  lines.flatMap((each, index) => {
    const line = readable(each);
    const start = QUOTED.test(line) ? -1 : line.search(DYNAMIC);
    if (start < 0) return [];
    const [statement = ''] = line.slice(start).split(';', 1);
    const names = [...statement.matchAll(COMPARED)].map(([, name = '']) => name);
    const kinds = names.map((name) => (name.startsWith('@') ? sqlVariable(name, lines, index + 1) : 'unknown'));
    if (kinds.every((kind) => kind === 'number')) return [];
    const isGrave = kinds.some((kind) => kind === 'parameter' || kind === 'unknown');
    return [isGrave ? ([index + 1, index + 1] as const) : ([index + 1, index + 1, 'mild'] as const)];
  });

const PATH = 'db/migrations/0012.sql';
/** In two parts, so that no scanner takes the example for a leaked secret. */
const VALUE = ['k3v9', 'Qz81'].join('');

export const SQL_RULES: readonly TextRule[] = [
  {
    id: 'sql-grant-to-everyone',
    language: 'SQL',
    severity: 'P1',
    blocking: true,
    title: 'Everyone gets all rights',
    explanation: 'Every account of the server, also one of another application, can change the data. Grant to a role.',
    scan: whereStatement(
      ({ text }) =>
        // Older versions of PostgreSQL write the grant on the schema `public` into every dump.
        (/^GRANT\s+ALL\b.{0,2000}\sTO\s+PUBLIC\b/i.test(text) && !/\sON\s+SCHEMA\s+"?public\b/i.test(text)) ||
        /^GRANT\s+ALL\b.{0,200}\sON\s+\*\.\*\s+TO\s+\S{1,100}@['"`]%['"`]/i.test(text),
    ),
    examples: [
      { path: PATH, code: 'GRANT ALL PRIVILEGES ON ALL TABLES IN SCHEMA app\n  TO PUBLIC;\n', lines: [1] },
      {
        path: PATH,
        code: 'GRANT ALL ON SCHEMA public TO PUBLIC;\nGRANT SELECT ON app.country TO PUBLIC;\nGRANT ALL ON app.account TO app_owner;\n',
        lines: [],
      },
    ],
  },
  {
    id: 'sql-password',
    language: 'SQL',
    severity: 'P1',
    blocking: true,
    title: 'Password is written in the statement',
    explanation:
      'Everyone who can read the repository knows the password, and it stays in the history. Set it from a variable of the deployment.',
    scan: (lines, path) => (NOT_IN_USE.test(path) ? [] : whereStatement(hasPassword)(lines, path)),
    where: 'production',
    examples: [
      { path: PATH, code: `CREATE ROLE app LOGIN\n  PASSWORD '${VALUE}';\n`, lines: [1] },
      {
        path: PATH,
        code: "CREATE ROLE app LOGIN PASSWORD :'password';\nCREATE USER app IDENTIFIED BY '${PASSWORD}';\n",
        lines: [],
      },
    ],
  },
  {
    id: 'sql-compare-null',
    language: 'SQL',
    severity: 'P1',
    blocking: true,
    title: 'Comparison with NULL is never true',
    explanation: 'A comparison with NULL gives NULL, so no row matches. Write `IS NULL` or `IS NOT NULL`.',
    scan: (lines) =>
      linesWhere(
        lines,
        (line) =>
          !/^\s*--/.test(line) &&
          /(?:^|\s|\()(?:WHERE|AND|OR|WHEN|HAVING)\s+\(?[\w."`[\]]{1,200}\s*(?:=|<>|!=)\s*NULL\b/i.test(line) &&
          !/^[^']*'[^']*(?:WHERE|AND|OR|WHEN)[^']*'[^']*$/i.test(line),
      ),
    examples: [
      { path: PATH, code: 'SELECT id FROM users\nWHERE deleted_at = NULL;\n', lines: [2] },
      { path: PATH, code: 'UPDATE users SET deleted_at = NULL WHERE id = 1 AND name IS NULL;\n', lines: [] },
    ],
  },
  {
    id: 'sql-dynamic-value',
    language: 'SQL',
    severity: 'P1',
    blocking: true,
    title: 'SQL statement is built from strings',
    explanation:
      'SQL injection: a value inserted into the statement as text can change the statement. Pass the value with `USING`, or to `sp_executesql` as a parameter.',
    scan: dynamicValues,
    examples: [
      { path: PATH, code: "BEGIN\n  EXECUTE 'DELETE FROM users WHERE name = ''' || name || '''';\nEND;\n", lines: [2] },
      {
        path: PATH,
        code: "EXECUTE 'DELETE FROM users WHERE name = $1' USING name;\nEXECUTE 'DELETE FROM users WHERE name = ' || quote_literal(name);\nEXECUTE 'DROP TABLE ' || table_name;\n",
        lines: [],
      },
      {
        path: PATH,
        code: "CREATE PROCEDURE find_user\n  @name nvarchar(50)\nAS\nDECLARE @text nvarchar(60)\nSET @text = @name + '%'\nEXEC('SELECT id FROM users WHERE name = ''' + @name + '''')\nEXEC('SELECT id FROM users WHERE name = ''' + @text + '''')\n",
        lines: [6, 7],
      },
      {
        path: PATH,
        code: "DECLARE @id int, @database nvarchar(50), @owner nvarchar(50)\nDECLARE @text varchar(20)\nFETCH NEXT FROM sites INTO @id, @database, @owner\nSET @text = CAST(@id AS varchar(20))\nEXEC('USE [' + @database + '] UPDATE sites SET total = 1 WHERE id = ' + @text)\nEXEC('USE [' + @database + '] UPDATE sites SET total = 1 WHERE owner = ''' + @owner + '''')\n",
        lines: [6],
        mild: [6],
      },
    ],
  },
];
