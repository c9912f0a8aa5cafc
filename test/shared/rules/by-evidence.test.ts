/** Places and code that decide how grave a finding is, and kinds of noise that readers named in public repositories. */
import { describe, expect, it } from 'vitest';
import { isVisiblyForeign } from '../../../shared/rules/inserted/visibly-foreign.ts';
import { parserOf } from '../../../shared/rules/model/language.ts';
import { reviewFiles } from './review-files.ts';

const RANDOM = 'q7Zt9mWx2LkP4vBn8RsD3yHc6';
const BASE64 = 'q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt';
const PEM = [['-----BEGIN ', 'PRIVATE KEY-----'].join(''), BASE64, BASE64, ''].join('\n');
const EVAL = 'function f(req) {\n  eval(req.query.sum);\n}\n';
const INSTALL = '<?php\nfunction f($db, $login) {\n  $db->query("DELETE FROM users WHERE login = \'$login\'");\n}\n';

const foundIn = async (path: string, text: string): Promise<readonly string[]> => {
  const changedLines = new Set(text.split('\n').map((_, index) => index + 1));
  const { findings } = await reviewFiles([{ path, text, changedLines }], new AbortController().signal);
  return findings.map(
    ({ rule, severity, blocking, line }) => `${line} ${severity}${blocking ? ' blocks' : ''} ${rule}`,
  );
};

type Row = readonly [what: string, path: string, text: string, found: readonly string[]];

describe('a finding', () => {
  it.each<Row>([
    ['a request', 'a.js', EVAL, ['2 P1 blocks js-eval']],
    ['a parameter', 'a.js', 'function f(text) {\n  eval(text);\n}\n', ['2 P1 blocks js-eval']],
    ['what the program made', 'a.js', 'const queue = [];\neval(queue.shift());\n', ['2 P2 js-eval']],
    ['a request, over a name', 'a.js', 'const t = req.body.t;\neval(t + ";");\n', ['2 P1 blocks js-eval']],
    [
      'the count of a loop',
      'a.js',
      'function f() {\n  for (x = 2; x < 9; x++) eval("a" + x);\n  eval("a" + y);\n}\n',
      ['2 P2 js-eval', '3 P1 blocks js-eval'],
    ],
    [
      'a parameter over two names and a function in a function',
      'a.php',
      '<?php\nfunction f($db, $url) {\n  $url = trim($url);\n  $raw = stripslashes($url);\n  $db->query("SELECT a FROM b WHERE c = \'$raw\'");\n}\n',
      ['5 P1 blocks php-sql-concat'],
    ],
    [
      'a parameter between quotes, over functions that keep it or may check it',
      'a.php',
      '<?php\nfunction f($db, $name, $part) {\n  $db->query("SELECT a FROM b WHERE c = \'" . trim($name) . "\'");\n  $db->query("SELECT a FROM b WHERE c = \'" . checked($name) . "\'");\n  $db->query("SELECT a FROM b WHERE c = 1 " . $part);\n  $db->query("SELECT a FROM b WHERE c = \'$global\'");\n}\n',
      ['3 P1 blocks php-sql-concat', '4 P2 php-sql-concat', '6 P2 php-sql-concat'],
    ],
    [
      'a row of a database, also in a variable with the name of a request',
      'a.php',
      "<?php\nwhile ($request = $db->fetch_array($query)) {\n  $group = $db->fetch_array($query);\n  $db->query(\"SELECT a FROM b WHERE c = '{$group['g']}'\");\n  $db->query(\"SELECT a FROM b WHERE c = '{$_GET['g']}'\");\n}\n",
      ['5 P1 blocks php-sql-concat'],
    ],
    [
      'a parameter of a callback, and one of a function',
      'a.js',
      "names.forEach(function (name) {\n  db.query(`SELECT a FROM b WHERE c = '${name}'`);\n});\nconst find = async (name) => {\n  await db.query(`SELECT a FROM b WHERE c = '${name}'`);\n};\n",
      ['2 P2 js-sql-concat', '5 P1 blocks js-sql-concat'],
    ],
    ['a property', 'a.py', 'def f(self):\n    return eval(self.source)\n', ['2 P2 py-eval']],
    [
      'a number that only its name shows',
      'a.py',
      'def f(db, page, name):\n    db.execute(f"SELECT a FROM b WHERE c = \'{page}\'")\n    db.execute(f"SELECT a FROM b WHERE c = \'{name}\'")\n',
      ['2 P2 py-sql-concat', '3 P1 blocks py-sql-concat'],
    ],
    [
      'a word in a string',
      'a.py',
      'def f(self, db):\n    db.execute("SELECT a FROM request WHERE c = " + self.label("input body"))\n',
      ['2 P2 py-sql-concat'],
    ],
    [
      'an argument of a script',
      'a.sh',
      'run() {\n  eval "$1"\n}\nrun "make"\neval "$2"\n',
      ['2 P2 sh-eval-variable', '5 P1 blocks sh-eval-variable'],
    ],
    [
      'an argument of a script below functions of one line',
      'a.sh',
      'log() { echo "$*"; }\ndie() { echo "${1}"; exit 1; }\neval "$1"\nrun() { eval "$2"; }\n',
      ['3 P1 blocks sh-eval-variable', '4 P2 sh-eval-variable'],
    ],
    [
      'an argument of a script below a function in a block',
      'a.sh',
      'if true; then\n  run() { # ${HOME}\n    if true; then\n      eval "$1"\n    fi\n  }\n  eval "$2"\nfi\n',
      ['4 P2 sh-eval-variable', '7 P1 blocks sh-eval-variable'],
    ],
    [
      'a download in a function',
      'a.sh',
      'function run {\n  eval "$(curl -fsSL "$URL")"\n}\n',
      ['2 P1 blocks sh-eval-variable'],
    ],
  ])('is graver if the code shows where the value is from: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });

  it.each<Row>([
    [
      'a part of a query',
      'a.js',
      "const raw = req.query.name;\nconst name = raw.slice(1);\nexec('ls ' + name);\n",
      ['3 P1 blocks js-shell-by-string'],
    ],
    [
      'a parameter with nothing added',
      'a.js',
      'function f(db, name) {\n  db.query("SELECT a FROM b WHERE c = \'" + name.concat(\'\') + "\'");\n}\n',
      ['2 P1 blocks js-sql-concat'],
    ],
    [
      'a part of a title',
      'a.js',
      "const title = location.hash;\nel.innerHTML = '<b>' + title.slice(0, 80);\n",
      ['2 P1 blocks js-inner-html'],
    ],
    [
      'a filled parameter',
      'a.py',
      'def f(db, name):\n    db.execute("SELECT a FROM b WHERE c = \'" + name.ljust(10) + "\'")\n',
      ['2 P1 blocks py-sql-concat'],
    ],
    [
      'a part of a path',
      'A.java',
      'class A {\n  void f(Statement s, String path) {\n    s.executeQuery("SELECT a FROM b WHERE c = \'" + path.substring(1) + "\'");\n  }\n}\n',
      ['3 P1 blocks java-sql-concat'],
    ],
    [
      'a parameter of Ruby',
      'a.rb',
      "def f(name)\n  system(\"ls #{name.tr('a', 'b')}\")\nend\n",
      ['2 P1 blocks rb-shell-by-string'],
    ],
    [
      'a parameter of a route',
      'a.go',
      'package a\n\nfunc f(ps httprouter.Params) {\n\tdb.Exec("DELETE FROM a WHERE b = \'" + ps.ByName("name") + "\'")\n}\n',
      ['4 P2 go-sql-concat'],
    ],
    [
      'a part of an address',
      'a.php',
      '<?php\nfunction f($db) {\n  $db->query("SELECT a FROM b WHERE c = \'" . $this->uri->segment(3) . "\'");\n}\n',
      ['3 P2 php-sql-concat'],
    ],
  ])('is not hidden by a method that only takes constants: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });

  it.each<Row>([
    [
      'with less at its ends',
      'a.py',
      'def f(db, name):\n    name = name.strip()\n    db.execute("SELECT a FROM b WHERE c = \'" + name + "\'")\n',
      ['3 P1 blocks py-sql-concat'],
    ],
    [
      'with less at its ends, in JavaScript',
      'a.js',
      'function f(db, name) {\n  name = name.trim();\n  db.query("SELECT a FROM b WHERE c = \'" + name + "\'");\n}\n',
      ['3 P1 blocks js-sql-concat'],
    ],
    [
      'with less at its ends, in PHP',
      'a.php',
      '<?php\nfunction f($db, $name) {\n  $name = trim($name);\n  $db->query("SELECT a FROM b WHERE c = \'$name\'");\n}\n',
      ['4 P1 blocks php-sql-concat'],
    ],
    [
      'or a default',
      'a.py',
      'def f(db, name):\n    name = name or "x"\n    db.execute("SELECT a FROM b WHERE c = \'" + name + "\'")\n',
      ['3 P1 blocks py-sql-concat'],
    ],
    [
      'over another name',
      'a.js',
      "function f(db, text) {\n  const raw = text.trim();\n  text = raw;\n  db.query(`SELECT a FROM b WHERE c = '${text}'`);\n}\n",
      ['4 P1 blocks js-sql-concat'],
    ],
    [
      'or a text, by a condition',
      'a.js',
      "function f(text, test) {\n  db.query(`SELECT a FROM b WHERE c = '${test ? text : 'a'}'`);\n  db.query(`SELECT a FROM b WHERE c = '${test ? queue.shift() : 'a'}'`);\n}\n",
      ['2 P1 blocks js-sql-concat', '3 P2 js-sql-concat'],
    ],
    [
      'but not a value of the program with more',
      'a.js',
      'function f() {\n  let text = queue.shift();\n  text = text.trim();\n  eval(text);\n}\n',
      ['4 P2 js-eval'],
    ],
  ])('about a parameter is as grave if the name gets its value again, %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });

  it.each<Row>([
    [
      'Flask',
      'a.py',
      'def f(db):\n    data = request.get_json()\n    db.execute(f"SELECT a FROM b WHERE c = \'{data[\'name\']}\'")\n    db.execute("SELECT a FROM b WHERE c = \'" + data.get("name") + "\'")\n    eval(data["expr"])\n',
      ['3 P1 blocks py-sql-concat', '4 P1 blocks py-sql-concat', '5 P1 blocks py-eval'],
    ],
    [
      'Express',
      'a.js',
      "const user = req.body;\ndb.query(`SELECT a FROM b WHERE c = '${user.name}'`);\nconst name = user.name;\ndb.query(`SELECT a FROM b WHERE c = '${name}'`);\n",
      ['2 P1 blocks js-sql-concat', '4 P1 blocks js-sql-concat'],
    ],
    [
      'Next.js',
      'a.ts',
      "export async function POST(request: Request) {\n  const data = await request.json();\n  await db.query(`SELECT a FROM b WHERE c = '${data.name}'`);\n}\n",
      ['3 P1 blocks js-sql-concat'],
    ],
    [
      'PHP',
      'a.php',
      '<?php\n$data = $_POST;\n$db->query("SELECT a FROM b WHERE c = \'" . $data[\'name\'] . "\'");\n',
      ['3 P1 blocks php-sql-concat'],
    ],
    [
      'Rails',
      'a.rb',
      'def f\n  user = params[:user]\n  system("ls #{user[:name]}")\nend\n',
      ['3 P1 blocks rb-shell-by-string'],
    ],
    [
      'a servlet',
      'A.java',
      'class A {\n  void f(HttpServletRequest request, Statement s) {\n    Map<String, String[]> all = request.getParameterMap();\n    s.executeQuery("SELECT a FROM b WHERE c = \'" + all.get("name")[0] + "\'");\n  }\n}\n',
      ['4 P1 blocks java-sql-concat'],
    ],
    [
      'a match of a path',
      'a.py',
      'def f(db, request):\n    m = re.match("/(.*)", request.path)\n    db.execute("SELECT a FROM b WHERE c = \'" + m.group(1) + "\'")\n',
      ['3 P1 blocks py-sql-concat'],
    ],
    [
      'a name that is taken out',
      'a.js',
      "function f(el) {\n  const { title, date } = req.query;\n  el.innerHTML = `<b>${title}</b>`;\n  db.query(`SELECT a FROM b WHERE c = '${date}'`);\n}\n",
      ['3 P1 blocks js-inner-html', '4 P1 blocks js-sql-concat'],
    ],
    [
      'a name that is taken out of a value of the program',
      'a.js',
      'function f(el) {\n  const { title } = store.next();\n  el.innerHTML = `<b>${title}</b>`;\n}\n',
      ['3 P2 js-inner-html'],
    ],
    [
      'an item of a list',
      'a.php',
      "<?php\nfunction f($db) {\n  foreach ($_POST['ids'] as $id) {\n    $db->query(\"SELECT a FROM b WHERE c = $id\");\n  }\n  list($uid) = explode('-', $_POST['x']);\n  $db->query(\"SELECT a FROM b WHERE c = $uid\");\n}\n",
      ['4 P1 blocks php-sql-concat', '7 P1 blocks php-sql-concat'],
    ],
    [
      'an object of the program, and a property of a parameter',
      'a.js',
      "function f(db, user) {\n  const row = store.next();\n  db.query(`SELECT a FROM b WHERE c = '${row.name}'`);\n  db.query(`SELECT a FROM b WHERE c = '${user.name}'`);\n}\n",
      ['3 P2 js-sql-concat', '4 P2 js-sql-concat'],
    ],
  ])('about a part of a value is as grave as about the value: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });

  it.each([
    ['a.go', 'mux.Vars(r)["id"]'],
    ['a.go', 'r.Form.Get("a")'],
    ['a.go', 'c.PostForm("a")'],
    ['a.go', 'r.URL.Path'],
    ['a.go', 'os.Args[1]'],
    ['a.rb', 'ARGV[0]'],
    ['a.py', 'self.get_argument("a")'],
    ['a.py', 'kwargs["a"]'],
    ['a.py', 'websocket.receive_text()'],
    ['a.py', 'sys.stdin.readline()'],
    ['a.php', "json_decode(file_get_contents('php://input'))"],
    ['A.kt', 'call.receiveText()'],
    ['A.java', 'scanner.nextLine()'],
    ['a.js', 'e.data'],
    ['a.js', "f('\\'', req.query.x, '\\'')"],
  ])('knows words for what comes from outside: %s, %s', (path, code) => {
    const language = parserOf(path, '')?.language ?? 'JavaScript';
    expect(isVisiblyForeign([{ code, before: '' }], 'outside', { lines: [code], line: 1, language })).toBe(true);
    const other = code.replaceAll(/\w+/g, 'other');
    expect(isVisiblyForeign([{ code: other, before: '' }], 'outside', { lines: [other], line: 1, language })).toBe(
      false,
    );
  });

  it.each<Row>([
    ['a sample', '.env.example', `APP_SECRET=${RANDOM}\n`, ['1 P2 secret-credential']],
    ['a sample', 'config/sample.env', `APP_SECRET=${RANDOM}\n`, ['1 P2 secret-credential']],
    ['settings', 'config/app.env', `APP_SECRET=${RANDOM}\n`, ['1 P1 blocks secret-credential']],
    [
      'a value with a word',
      'src/settings.py',
      `DB_PASSWORD = "${['fr0x', 'Travis', '9.Kq7'].join('')}"\n`,
      ['1 P2 secret-credential'],
    ],
  ])('about a credential is a remark in %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});

describe('silent, and not silent elsewhere', () => {
  it.each<Row>([
    ['a copy of a library', 'core/lib/json2.js', EVAL, []],
    ['the same code', 'core/lib/json3.js', EVAL, ['2 P1 blocks js-eval']],
    ['an installer', 'install/steps.php', INSTALL, []],
    ['the same code', 'src/steps.php', INSTALL, ['3 P1 blocks php-sql-concat']],
    ['a key of a test', 'src/test_keys.rs', PEM, []],
    ['a key', 'src/keys.rs', PEM, ['1 P0 blocks secret-private-key']],
    ['the hash of a password', 'a.yml', `SHA256_PASSWORD: "${RANDOM}"\n`, []],
    ['a password', 'a.yml', `MAIL_PASSWORD: "${RANDOM}"\n`, ['1 P1 blocks secret-credential']],
    [
      'text of constants',
      'a.go',
      'package a\n\nfunc f() {\n\tdb.Exec("DELETE FROM a WHERE b = " + upsertOf("b"))\n}\n',
      [],
    ],
    [
      'text of a method of the same object',
      'a.php',
      '<?php\nfunction f($db) {\n  $db->query("SELECT a FROM b WHERE c = " . $this->part("b"));\n}\n',
      [],
    ],
    [
      'text of another value',
      'a.go',
      'package a\n\nfunc f() {\n\tdb.Exec("DELETE FROM a WHERE b = " + db.upsertOf("b"))\n}\n',
      ['4 P2 go-sql-concat'],
    ],
    [
      'text that is read',
      'a.go',
      'package a\n\nfunc f() {\n\tdb.Exec("DELETE FROM a WHERE b = " + db.readWord("b"))\n}\n',
      ['4 P2 go-sql-concat'],
    ],
    [
      'a value that q() quotes',
      'a.php',
      '<?php\nfunction f($db, $t) {\n  $db->query("SELECT a FROM b WHERE c = " . q($t));\n}\n',
      [],
    ],
    [
      'a value that a method quotes',
      'a.php',
      '<?php\nfunction f($db, $t) {\n  $db->query("SELECT a FROM b WHERE c = " . $db->q($t));\n}\n',
      [],
    ],
    [
      'a value that another function gets',
      'a.php',
      '<?php\nfunction f($db, $t) {\n  $db->query("SELECT a FROM b WHERE c = \'" . p($t, $db->q($t)) . "\'");\n}\n',
      ['3 P2 php-sql-concat'],
    ],
    [
      'a value that another function returns',
      'a.php',
      '<?php\nfunction f($db, $t) {\n  $db->query("SELECT a FROM b WHERE c = \'" . p($t) . "\'");\n}\n',
      ['3 P2 php-sql-concat'],
    ],
    ['a word for a password', 'a.yml', `db_password: "${['SuperP4', 'ssw0rd'].join('')}!"\n`, []],
    ['values of variables', 'a.php', '<?php\n$userpwd = "{$user}:{$entered}7Qz";\n', []],
    ['a temporary file', 'a.js', "function f(tmpfile) {\n  exec('scan ' + tmpfile);\n}\n", []],
    [
      'a file of a request',
      'a.js',
      "const tmpfile = req.body.file;\nexec('cat ' + tmpfile);\n",
      ['2 P1 blocks js-shell-by-string'],
    ],
    ['another file', 'a.js', "function f(file) {\n  exec('scan ' + file);\n}\n", ['2 P2 js-shell-by-string']],
    [
      'a key of an object in a browser',
      'web/static/settings.js',
      'function merge(a, b) {\n  for (const k in b) {\n    if (typeof b[k] === "object") merge(a[k], b[k]);\n    else a[k] = b[k];\n  }\n}\nmodule.exports = merge;\n',
      [],
    ],
    [
      'the same key',
      'web/settings.js',
      'function merge(a, b) {\n  for (const k in b) {\n    if (typeof b[k] === "object") merge(a[k], b[k]);\n    else a[k] = b[k];\n  }\n}\nmodule.exports = merge;\n',
      ['4 P2 js-merge-prototype'],
    ],
    [
      'values that a check of Python makes sure of',
      'a.py',
      'def f(name, other):\n    if name not in ALLOWED or not other.isalnum():\n        raise ValueError(name)\n    os.system("ls " + name + other)\n    kind = name if name in KINDS else "a"\n    os.system(f"ls {kind}")\n',
      [],
    ],
    [
      'values that a check of Python does not reach',
      'a.py',
      'def f(name, other):\n    if name not in ALLOWED:\n        log(name)\n    os.system("ls " + name)\n    if is_valid_name(other):\n        os.system("ls " + other)\n',
      ['4 P1 blocks py-shell-by-string', '6 P2 py-shell-by-string'],
    ],
    [
      'a cleaned value, and one whose escaping is undone',
      'a.php',
      '<?php\nfunction f($db, $name) {\n  $name = my_clean($name);\n  $db->query("SELECT a FROM b WHERE c = \'$name\'");\n  $url = my_clean($_POST["url"]);\n  $raw = stripslashes($url);\n  $db->query("SELECT a FROM b WHERE c = \'$raw\'");\n}\n',
      ['4 P2 php-sql-concat', '7 P1 blocks php-sql-concat'],
    ],
    [
      'values that a check of Ruby makes sure of',
      'a.rb',
      'def f(name)\n  raise ArgumentError unless NAMES.include?(name)\n  system("ls #{name}")\nend\n',
      [],
    ],
    [
      'code for tests',
      'a.rs',
      'fn f() {\n    #[cfg(feature = "test_mode")]\n    let builder = builder.danger_accept_invalid_certs(true);\n}\n',
      [],
    ],
    [
      'other code',
      'a.rs',
      'fn f() {\n    #[cfg(feature = "http")]\n    let builder = builder.danger_accept_invalid_certs(true);\n}\n',
      ['3 P1 blocks rs-tls-not-verified'],
    ],
  ])('%s (%s)', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});
