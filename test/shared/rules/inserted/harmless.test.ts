import { describe, expect, test } from 'vitest';
import { insertsForeignValue } from '../../../../shared/rules/inserted/harmless.ts';
import type { Builds, GrepLanguage } from '../../../../shared/rules/model/rule.ts';

const D = '$';

/** The last line of the code is the use; `expression` is what it uses. */
const judge = (language: GrepLanguage, builds: Builds, code: string, expression: string): boolean => {
  const lines = code.split('\n');
  return insertsForeignValue(expression, builds, { lines, line: lines.length, language });
};

type Row = readonly [what: string, language: GrepLanguage, above: string, expression: string, foreign: boolean];

const SHELL: readonly Row[] = [
  ['a parameter', 'JavaScript', 'function f(url) {', `\`git clone ${D}{url}\``, true],
  ['a constant of the file', 'JavaScript', "const url = 'gs://bucket/a';", `\`gsutil cp ${D}{url}\``, false],
  ['a constant with an upper-case name', 'JavaScript', '', `\`ls ${D}{OUT_DIR} ${D}{Paths.OUT_DIR}\``, false],
  [
    'a name of a constant made of constants',
    'JavaScript',
    "const a = 'x';\nconst b = `${a}/y`;",
    `\`ls ${D}{b}\``,
    false,
  ],
  ['a name with a second value', 'JavaScript', "let url = 'a';\nurl = input();", `\`ls ${D}{url}\``, true],
  ['an assignment that replaces the first', 'JavaScript', "let url = input();\nurl = 'a';", `\`ls ${D}{url}\``, false],
  [
    'an assignment in another branch',
    'JavaScript',
    "let url = input();\nif (b) {\n  url = 'a';\n}",
    `\`ls ${D}{url}\``,
    true,
  ],
  ['an assignment that adds to the first', 'JavaScript', "let url = input();\nurl += 'a';", `\`ls ${D}{url}\``, true],
  ['an assignment from the first', 'Python', 'path = given()\npath = path + "x"', 'f"ls {path}"', true],
  ['a quoted request', 'Php', '', '"ls " . quoteshellarg($_GET["path"])', false],
  ['an unquoted request', 'Python', '', '"ls " + unquote(request.args["p"])', true],
  ['an unquoted value', 'Python', '', '"ls " + urllib.parse.unquote(path)', true],
  ['an unescaped request', 'JavaScript', '', `\`ls ${D}{unescape(req.query.p)}\``, true],
  ['a value that is quoted after it is unquoted', 'Python', '', '"ls " + shlex.quote(unquote(path))', false],
  ['a value unquoted before', 'Python', 'path = given()\npath = unquote(path)', 'f"ls {path}"', true],
  ['a value quoted in place', 'Python', 'path = given()\npath = shlex.quote(path)', 'f"ls {path}"', false],
  ['a number in place', 'Python', 'size = given()\nsize = int(size)', 'f"ls {size}"', false],
  ['a temporary file', 'Go', '', '"iptables-restore < " + tmpfile.Name()', false],
  ['a local name of another function', 'Php', 'function a() {\n  $p = "a";\n}\nfunction b() {', '"ls $p"', true],
  ['a number', 'Ruby', '', '"kill -9 #{pid.to_i} #{child.pid}"', false],
  ['a quoted value', 'Ruby', '', '"ls #{shell_quote(path)} #{path.shellescape}"', false],
  ['a value quoted before', 'Python', 'path = shlex.quote(given)', 'f"ls {path}"', false],
  ['a choice of two literals', 'JavaScript', '', `\`npm ${D}{quick ? 'ci' : 'install'}\``, false],
  ['an item of a list that is written out', 'Python', 'for name in ("a", "b"):', 'f"systemctl stop {name}"', false],
  ['an item of a list of JavaScript', 'JavaScript', "for (const name of ['a', 'b']) {", `\`stop ${D}{name}\``, false],
  [
    'an own place',
    'JavaScript',
    "const root = path.join(__dirname, '..');",
    `\`${D}{root}/bin/control.sh stop\``,
    false,
  ],
  ['nothing else', 'Ruby', '', '"#{cmd}"', false],
  ['a name with a command and a value', 'JavaScript', "const cmd = 'ps -p ';", 'cmd + list', true],
  ['a command of two kinds and a value', 'JavaScript', "const cmd = OPEN[os] || 'open';", "cmd + ' ' + file", true],
  ['a command and nothing', 'JavaScript', "const cmd = 'ps';\nconst more = '-e';", "cmd + ' ' + more", false],
  ['two values and no text', 'JavaScript', 'const cmd = given();', "cmd + ' ' + file", false],
  ['an appended value', 'JavaScript', "let cmd = 'ps';\ncmd += ' ' + list.join(' ');", 'cmd', true],
  ['an appended literal', 'JavaScript', "let cmd = 'ps';\nconst more = '-e';\ncmd += ' ' + more;", 'cmd', false],
  ['a value appended to nothing', 'JavaScript', "let cmd = '';\ncmd += given;", 'cmd', false],
  ['a value with a condition', 'Ruby', '', '"ls #{\'-l\' if long}"', false],
  ['an item of an unknown list', 'Python', 'for name in names:', 'f"systemctl stop {name}"', true],
  ['a command that is assigned first', 'JavaScript', 'const cmd = "git clone " + url;', 'cmd', true],
  ['a command of a literal that is assigned first', 'JavaScript', 'const cmd = "git status";', 'cmd', false],
  ['a command over several lines', 'JavaScript', 'const cmd =\n  "git clone " +\n  url;', 'cmd', true],
  ['a command that is a parameter', 'JavaScript', 'const cmd = "git " + url;\nfunction f(cmd) {\n  x();', 'cmd', false],
  ['a command that is not known', 'JavaScript', '', 'cmd', false],
  ['a command of a setting', 'JavaScript', "const cmd = config.get('cmd') || 'ps';", 'cmd', false],
  ['what a function returns', 'Php', '$cmd = buildCommand();', '$cmd', false],
  ['a command of PHP that is assigned first', 'Php', '$cmd = "ls $path";', '$cmd', true],
  ['a setting with more', 'JavaScript', "const cmd = `${config.get('ps')} -e`;", 'cmd', false],
  ['a setting of the environment', 'Php', '', '"ls " . getenv("FOLDER")', false],
  ['settings of somebody', 'JavaScript', '', `\`ls ${D}{user.settings.folder}\``, true],
  ['a line that is too long to be read', 'JavaScript', `const a = '${'x'.repeat(600)}' + b;`, `\`ls ${D}{a}\``, true],
];

const SQL: readonly Row[] = [
  ['a value', 'JavaScript', '', `\`SELECT a FROM b WHERE id = ${D}{id}\``, true],
  ['the name of a table', 'Go', '', 'fmt.Sprintf("SELECT * FROM %s WHERE id = ?", m.TableName())', false],
  ['a name where a table is named', 'JavaScript', '', `\`SELECT a FROM ${D}{name} WHERE id = 1\``, false],
  ['data of a request where a table is named', 'JavaScript', '', `\`SELECT a FROM ${D}{req.query.name}\``, true],
  ['a list of columns', 'Python', '', 'f"SELECT {columns} FROM a ORDER BY {order_by}"', false],
  ['placeholders', 'Python', "marks = ','.join('?' * 3)", 'f"SELECT a FROM b WHERE id IN ({placeholders})"', false],
  ['a value that is escaped', 'Php', '', '"SELECT a FROM b WHERE id = " . $db->quote($id)', false],
  ['a number', 'Php', '', '"SELECT a FROM b WHERE id = " . intval($id)', false],
  ['a statement that is assigned first', 'Python', 'sql = f"DELETE FROM a WHERE b = \'{name}\'"', 'sql', true],
  [
    'a statement in a string over several lines',
    'Python',
    'sql = f"""\n  SELECT a FROM b\n  WHERE c = {d}\n"""',
    'sql',
    true,
  ],
  ['a literal over several lines', 'Python', 'sql = """\n  SELECT a FROM b\n"""', 'sql', false],
  [
    'a template over several lines',
    'JavaScript',
    `const sql = \`\n  SELECT a FROM b\n  WHERE c = ${D}{d}\`;`,
    'sql',
    true,
  ],
  ['a text that is no statement', 'Python', 'sql = f"task {name}"', 'sql', false],
  [
    'the own id',
    'JavaScript',
    '',
    `\`SELECT a FROM b WHERE id = ${D}{req.user.id} OR c = ${D}{req.session.userId}\``,
    false,
  ],
  ['the id of a request', 'JavaScript', '', `\`SELECT a FROM b WHERE id = ${D}{req.params.id}\``, true],
  [
    'the own id in Python',
    'Python',
    '',
    'f"SELECT a FROM b WHERE id = {request.user.id} OR c = {session[\'user_id\']}"',
    false,
  ],
  ['the own name', 'Python', '', 'f"SELECT a FROM b WHERE c = \'{request.user.name}\'"', true],
  [
    'the own id in Ruby',
    'Ruby',
    '',
    '"SELECT a FROM b WHERE id = #{session[:user_id]} OR c = #{current_user.id}"',
    false,
  ],
  [
    'parts of a statement',
    'Php',
    '$where[] = "a = 1";\n$where[] = "b = \'" . $db->escape($b) . "\'";',
    '"SELECT a FROM b WHERE " . implode(" AND ", $where)',
    false,
  ],
  [
    'parts of a statement, one with a value',
    'Php',
    '$where[] = "a = 1";\n$where[] = "b = \'" . $b . "\'";',
    '"SELECT a FROM b WHERE " . implode(" AND ", $where)',
    true,
  ],
  ['names of a list', 'Php', '', '"SELECT a FROM b WHERE c = \'" . implode(",", $names) . "\'"', true],
  [
    'a choice that may end the page',
    'Php',
    '',
    '"SELECT a FROM b WHERE c = " . (isset($all[$c]) ? $c : message($texts["no"]))',
    false,
  ],
  [
    'a choice that may call a function',
    'Php',
    '',
    '"SELECT a FROM b WHERE c = " . (isset($all[$c]) ? $c : f($d))',
    true,
  ],
  ['an own function for the time', 'Php', '', '"UPDATE a SET b = \'" . gmdate($format) . "\' WHERE c = 1"', false],
  ['a number by its type', 'Java', 'void f(long id, String name) {', '"SELECT a FROM b WHERE id = " + id', false],
  ['a text by its type', 'Java', 'void f(long id, String name) {', '"SELECT a FROM b WHERE c = " + name', true],
  ['a nearer type', 'Java', 'void f(int id) {}\nvoid g(String id) {', '"SELECT a FROM b WHERE id = " + id', true],
  ['a checked number', 'Php', 'if (is_numeric($id)) {', '"SELECT a FROM b WHERE id = $id"', false],
  [
    'the other branch of a check',
    'Php',
    'if (is_numeric($id)) {\n  f();\n} else {',
    '"SELECT a FROM b WHERE id = $id"',
    true,
  ],
  ['a check of another function', 'Php', 'is_int($id);\nfunction f($id) {', '"SELECT a FROM b WHERE id = $id"', true],
  ['what is no number', 'Php', 'if (!is_numeric($id)) {', '"SELECT a FROM b WHERE id = $id"', true],
  [
    'what is no number, in a block',
    'Php',
    'is_int($id);\nif (!is_int($id)) {\n  f();',
    '"SELECT a FROM b WHERE id = $id"',
    true,
  ],
  [
    'a number after a check that returns',
    'Php',
    'if (!is_int($id)) {\n  return;\n}',
    '"SELECT a FROM b WHERE id = $id"',
    false,
  ],
  ['a number of PHP', 'Php', 'function f(?int $id) {', '"SELECT a FROM b WHERE id = $id"', false],
  [
    'a number of TypeScript',
    'TypeScript',
    'function f(id: number) {',
    `\`SELECT a FROM b WHERE id = ${D}{id}\``,
    false,
  ],
  ['numbers of Go', 'Go', 'func f(id, n int64) {', 'fmt.Sprintf("SELECT a FROM b WHERE id = %v", id)', false],
  ['a word before the name', 'Java', 'return id;', '"SELECT a FROM b WHERE id = " + id', true],
  ['a hash', 'Java', '', `"UPDATE a SET b = '" + Crypto.encrypt(secret) + "'"`, false],
  ['what is decrypted', 'Java', '', `"UPDATE a SET b = '" + Crypto.decrypt(secret) + "'"`, true],
  ['a text of the page', 'Php', '', `"SELECT '" . $lang['yes'] . "' FROM a"`, false],
  ['the id of an object', 'Ruby', '', '"SELECT a FROM b WHERE c = #{user.id}"', false],
  ['an id of a request', 'Ruby', '', '"SELECT a FROM b WHERE c = #{params.id}"', true],
];

const HTML: readonly Row[] = [
  ['a value', 'JavaScript', '', `\`<b>${D}{name}</b>\``, true],
  ['an escaped value', 'JavaScript', '', `\`<b>${D}{escapeHtml(name)}</b>\``, false],
  [
    'a value of which a hint is made',
    'JavaScript',
    'let name = user.name;\nname = getHint(name);',
    `\`<b>${D}{name}</b>\``,
    true,
  ],
  ['a label', 'JavaScript', '', `\`<b>${D}{labels[reason].toLowerCase()}</b>\``, false],
  ['a value of an object', 'JavaScript', '', `\`<b>${D}{user.fullName}</b>\``, true],
  ['what a request says', 'JavaScript', '', `\`<b>${D}{req.label}</b>\``, true],
  ['a translation', 'JavaScript', '', `\`<b>${D}{t('name')}</b>\``, false],
  ['a constant', 'Ruby', 'label = "x"', '"<b>#{label}</b>"', false],
];

describe.each([
  ['a command', { for: 'shell' }, SHELL],
  ['a statement', { for: 'sql' }, SQL],
  ['a page', { for: 'html' }, HTML],
] as const)('%s', (_what, builds, rows) => {
  test.each(rows)('with %s (%s)', (_row, language, above, expression, foreign) => {
    expect(judge(language, builds, `${above}\n  use(it);`, expression)).toBe(foreign);
  });
});

describe('code', () => {
  const builds = { for: 'code', unknown: 'counts' } as const;
  test.each<Row>([
    ['of an unknown name', 'JavaScript', '', 'source', true],
    ['of a call', 'JavaScript', '', 'load(name)', true],
    ['of a literal that is assigned first', 'JavaScript', 'const source = "1 + 1";', 'source', false],
    ['of a template with constants only', 'Python', 'TEMPLATE = "a = {}"\nname = "b"', 'TEMPLATE.format(name)', true],
  ])('%s (%s)', (_row, language, above, expression, foreign) => {
    expect(judge(language, builds, `${above}\nuse(it);`, expression)).toBe(foreign);
  });
});
