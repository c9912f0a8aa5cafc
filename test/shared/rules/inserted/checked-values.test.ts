import { expect, test } from 'vitest';
import { isCheckedAbove, isCheckedBy, isCheckedByName } from '../../../../shared/rules/inserted/checked-values.ts';
import { withoutCleaned } from '../../../../shared/rules/inserted/named-checks.ts';
import type { GrepLanguage } from '../../../../shared/rules/model/rule.ts';

const useOf = (above: string, language: GrepLanguage): Parameters<typeof isCheckedAbove>[1] => {
  const lines = [...above.split('\n'), 'run("select");'];
  return { lines, line: lines.length, language };
};

test.each<readonly [string, string, string, GrepLanguage]>([
  ['a check that leaves', "if (!is_number($_GET['id'])) {\n  error(0);\n}", '$_GET[id]', 'Php'],
  ['a check that answers', 'if (!is_number($id)) json_die("failure");', '$id', 'Php'],
  ['one of two checks', 'if (!$id || !is_numeric($id)) {\n  echo "no";\n  die();\n}', '$id', 'Php'],
  ['a check without a block', 'if (!ctype_digit($id))\n  exit;', '$id', 'Php'],
  ['the branch of a check', 'if (isset($_GET["a"]) && is_numeric($_GET["id"]))\n{\n  $a = 1;', "$_GET['id']", 'Php'],
  ['a check in words', 'is_numeric($id) or die("no");', '$id', 'Php'],
  ['a filter', 'if (filter_var($id, FILTER_VALIDATE_INT) === false) return;', '$id', 'Php'],
  ['a list', 'if (!in_array($order, $orders, true)) throw new E("a");', '$order', 'Php'],
  ['a key', 'if (!isset($groups[$_POST["group"]])) message("no");\nelse {', "$_POST['group']", 'Php'],
  ['a pattern', "if (!preg_match('/^[a-z0-9_]+$/i', $name)) return false;", '$name', 'Php'],
  ['another branch', 'if (!is_numeric($id)) {\n  f();\n} else {', '$id', 'Php'],
  ['all branches', 'if (is_numeric($id)) {\n  $a = 1;\n} else {\n  die;\n}', '$id', 'Php'],
  ['a later branch', 'if (!$a) {\n  exit;\n} elseif (!is_int($id)) {\n  exit;\n}', '$id', 'Php'],
  ['a page', "<p>don't</p>\n<?php if (!is_numeric($id)) die(); ?>\n<p>it's</p>\n<?php", '$id', 'Php'],
  ['a branch of a switch', 'switch ($a) {\n  case "b":\n    if (!is_numeric($id)) return;', '$id', 'Php'],
  ['an escaped text', 'if (($text = db_string($_POST["a"])) && $b) {', '$text', 'Php'],
  ['a number in the statement', 'if (!$b) return;\nis_int($n) &&', '$n', 'Php'],
  ['a value that is replaced by a number', 'if (!is_numeric($id)) {\n  $id = 0;\n}', '$id', 'Php'],
  ['no number', 'if (isNaN(id)) return res.sendStatus(400)\nconst a = 1', 'id', 'JavaScript'],
  [
    'a number of JavaScript',
    'app.get("/", (req, res) => {\n  if (!Number.isInteger(Number(req.query.id))) {\n    throw new E();\n  }',
    'req.query.id',
    'TypeScript',
  ],
  ['a type', "if (typeof id !== 'number') {\n  f();\n} else {", 'id', 'TypeScript'],
  ['a pattern of JavaScript', 'if (!/^\\d+$/.test(id)) return;', 'id', 'JavaScript'],
  ['an allowed value', 'if (!ALLOWED.includes(order)) return;', 'order', 'JavaScript'],
  ['a number of Java', 'if (!StringUtils.isNumeric(id)) {\n  throw new E();\n}', 'id', 'Java'],
  ['a list of texts', 'if (!in_array($order, ["asc", "1"])) die();', '$order', 'Php'],
  ['a list by name', 'if (!in_array($order, $orders)) die();', '$order', 'Php'],
  ['a list of numbers, compared strictly', 'if (!in_array($id, [1, 2], true)) die();', '$id', 'Php'],
  ['a pattern of what is refused', "if (preg_match('/[^a-z0-9_]/i', $name)) die();", '$name', 'Php'],
  ['a pattern of JavaScript of what is refused', 'if (/[^\\w-]/.test(id)) return;', 'id', 'JavaScript'],
  ['a number of C#', 'if (!int.TryParse(id, out _))\n{\n  return;\n}', 'id', 'CSharp'],
])('%s makes sure of the value', (_, above, code, language) => {
  expect(isCheckedAbove(code, useOf(above, language))).toBe(true);
});

test.each<readonly [string, string, string, GrepLanguage]>([
  ['no check', '$a = 1;', '$id', 'Php'],
  ['a check of another value', "if (!is_numeric($_GET['a'])) die();", "$_GET['id']", 'Php'],
  ['a check that goes on', 'if (!is_numeric($id)) {\n  echo "no";\n}', '$id', 'Php'],
  ['a check that only logs', 'if (!is_numeric($id)) {\n  $log->error("no");\n}', '$id', 'Php'],
  [
    'a check that only keeps the error',
    'if (!is_numeric($id)) {\n  set_error("no");\n  $this->error("no");\n}',
    '$id',
    'Php',
  ],
  ['a check of JavaScript that only logs', 'if (isNaN(id)) {\n  console.error("no");\n}', 'id', 'JavaScript'],
  ['the wrong branch', 'if (!is_numeric($id)) {', '$id', 'Php'],
  ['the branch after the check', 'if (is_numeric($id)) {\n  f();\n}', '$id', 'Php'],
  ['one of two conditions', 'if ($admin || is_numeric($id)) {', '$id', 'Php'],
  ['a check under a condition', 'if ($a && !is_numeric($id)) {\n  die();\n}', '$id', 'Php'],
  ['a check in a block', 'if ($a) {\n  if (!is_numeric($id)) die();\n}', '$id', 'Php'],
  ['a branch that goes on', 'if ($a) {\n  f();\n} elseif (!is_int($id)) {\n  exit;\n}', '$id', 'Php'],
  ['a later value', 'if (!is_numeric($id)) die();\n$id = $_POST["id"];', '$id', 'Php'],
  ['a later value in a branch', 'if (!is_numeric($id)) die();\nif ($a) {\n  $id = $_POST["id"];\n}', '$id', 'Php'],
  ['a value that is taken apart', 'if (!is_numeric($id)) die();\nlist($a, $id) = f();', '$id', 'Php'],
  ['the value of a loop', 'if (!is_numeric($id)) die();\nforeach ($all as $id) {', '$id', 'Php'],
  ['an added text', 'if (!is_numeric($id)) die();\n$id .= $_POST["a"];', '$id', 'Php'],
  ['a number with a text', '$id = 5 . $_POST["a"];', '$id', 'Php'],
  ['an escaped text with another', '$id = db_string($a) . $_POST["a"] . f();', '$id', 'Php'],
  ['an unescaped text', '$id = unescape($a);', '$id', 'Php'],
  ['a slashed text', '$id = addslashes($a);', '$id', 'Php'],
  ['another function', 'if (!is_numeric($id)) die();\nfunction f($id) {', '$id', 'Php'],
  [
    'a check in another function',
    'function f($id) {\n  if (!is_numeric($id)) die();\n}\nfunction g($id) {',
    '$id',
    'Php',
  ],
  ['a pattern without an end', "if (!preg_match('/^[0-9]+/', $id)) die();", '$id', 'Php'],
  ['a pattern with any sign', "if (!preg_match('/^.+$/', $id)) die();", '$id', 'Php'],
  ['a filter of addresses', 'if (!filter_var($id, FILTER_VALIDATE_EMAIL)) die();', '$id', 'Php'],
  ['a list of numbers', 'if (!in_array($id, [1, 2])) die();', '$id', 'Php'],
  ['a range of numbers', 'if (!in_array($id, range(1, 9), false)) die();', '$id', 'Php'],
  ['a list of the visitor', 'if (!in_array($id, $_POST["ids"])) die();', '$id', 'Php'],
  ['a list of the visitor, compared strictly', 'if (!in_array($id, $_POST["ids"], true)) die();', '$id', 'Php'],
  ['a key of the visitor', 'if (!array_key_exists($id, $_POST)) die();', '$id', 'Php'],
  ['an item of the visitor', 'if (!isset($_POST[$id])) die();', '$id', 'Php'],
  ['a function that checks by its name', 'if (!is_valid_name($id)) die();', '$id', 'Php'],
  ['a pattern of a part that is refused', "if (preg_match('/[^a-z]b/', $id)) die();", '$id', 'Php'],
  ['a value that is there', "if (!isset($_GET['id'])) die();", "$_GET['id']", 'Php'],
  ['a check in a comment', '// if (!is_numeric($id)) die();', '$id', 'Php'],
  ['a check in a text', '$a = "if (!is_numeric($id)) die();";', '$id', 'Php'],
  ['a parameter of the same name', 'if (isNaN(id)) return;\nconst f = (id) => {', 'id', 'JavaScript'],
  ['a list of a request', 'if (!req.body.includes(order)) return;', 'order', 'JavaScript'],
  ['what begins like a number', 'if (isNaN(parseInt(id))) return;', 'id', 'JavaScript'],
  ['very deep conditions', `if (${'('.repeat(500)}!is_numeric($id)${')'.repeat(500)}) die();`, '$id', 'Php'],
  ['very many blocks', `if (!is_numeric($id)) die();\n${'{'.repeat(500)}`, '$id', 'Php'],
])('%s does not make sure of the value', (_, above, code, language) => {
  expect(isCheckedAbove(code, useOf(above, language))).toBe(false);
});

test.each<readonly [string, string, string, GrepLanguage]>([
  ['a list', 'if name not in ALLOWED:\n    raise ValueError(name)', 'name', 'Python'],
  ['a list of texts', "if name not in ('a', 'b'):\n    abort(404)", 'name', 'Python'],
  ['a list over two lines', 'if name not in (\n    "a", "b"\n):\n    return None', 'name', 'Python'],
  ['a list on one line', 'if not name in {"a", "b"}: return', 'name', 'Python'],
  [
    'an item of a request',
    "if request.args.get('a') not in VALID_NAMES:\n    abort(404)",
    "request.args['a']",
    'Python',
  ],
  ['a branch', 'if name in self.allowed_names and user:\n    x = 1\n    if x:\n        f()', 'name', 'Python'],
  ['a later branch', 'if name not in ALLOWED:\n    x = 1\nelse:\n    f()', 'name', 'Python'],
  ['an else that leaves', 'if name in ALLOWED:\n    x = 1\nelse:\n    raise E(\n        "no"\n    )', 'name', 'Python'],
  ['digits', 'if not name.isdigit():\n    sys.exit(1)', 'name', 'Python'],
  ['a type', 'if not isinstance(name, int):\n    raise TypeError', 'name', 'Python'],
  ['a pattern', "if not re.match(r'^[\\w-]+$', name):\n    raise E", 'name', 'Python'],
  ['a pattern without a match', "if re.fullmatch('[a-z]+', name) is None:\n    return", 'name', 'Python'],
  ['a text', "if name != 'a':\n    return", 'name', 'Python'],
  ['a match', "match name:\n    case 'a' | 'b':\n        f()", 'name', 'Python'],
  ['a list', 'raise E unless NAMES.include?(name)', 'name', 'Ruby'],
  ['words', 'return unless %w[a b].include? name', 'name', 'Ruby'],
  ['a block', 'unless NAMES.include?(params[:a])\n  head 404\n  return\nend', 'params[:a]', 'Ruby'],
  ['a branch', 'if name.in?(%w(a b))\n  f', 'name', 'Ruby'],
  ['a pattern', 'fail "a" if name !~ /\\A[a-z]+\\z/', 'name', 'Ruby'],
  ['a pattern that matches', 'raise E unless name.match?(/\\A\\w+\\z/)', 'name', 'Ruby'],
  ['a case', 'case params[:a]\nwhen "a", :b\n  f', 'params[:a]', 'Ruby'],
  ['a property', 'raise E unless NAMES.key?(@name)', '@name', 'Ruby'],
])('%s makes sure of the value: %s', (_, above, code, language) => {
  const [, inner = ''] = /\n(\s+)f(?:\(\))?$/.exec(above) ?? [];
  const lines = [...above.split('\n'), `${inner}run(name)`];
  expect(isCheckedAbove(code, { lines, line: lines.length, language })).toBe(true);
});

test.each<readonly [string, string, GrepLanguage]>([
  ['name = input()', 'name', 'Python'],
  ['if other not in ALLOWED:\n    raise E', 'name', 'Python'],
  ['if name not in ALLOWED:\n    print(name)', 'name', 'Python'],
  ['if name in ALLOWED:\n    raise E', 'name', 'Python'],
  ['if name not in ALLOWED:\n    raise E\nname = input()', 'name', 'Python'],
  ['if name not in ALLOWED:\n    raise E\nfor name in names:\n    pass', 'name', 'Python'],
  ['if x or name in ALLOWED:\n    f()\nelse:\n    raise E', 'name', 'Python'],
  ['if x and name not in ALLOWED:\n    raise E', 'name', 'Python'],
  ['if x:\n    if name not in ALLOWED:\n        raise E', 'name', 'Python'],
  ['if name not in request.args:\n    raise E', 'name', 'Python'],
  ["if not re.match(r'[\\w-]+$ok', name):\n    raise E", 'name', 'Python'],
  ["if not re.search(r'\\w+$', name):\n    raise E", 'name', 'Python'],
  ["if not re.match(r'^\\w+', name):\n    raise E", 'name', 'Python'],
  ['if name not in request.options:\n    raise E', 'name', 'Python'],
  ['if name not in "abc":\n    raise E', 'name', 'Python'],
  ['def f(name):\n    if name not in ALLOWED:\n        raise E\n', 'name', 'Python'],
  ['# if name not in ALLOWED: raise', 'name', 'Python'],
  ['raise E if NAMES.include?(name)', 'name', 'Ruby'],
  ['log(name) unless NAMES.include?(name)', 'name', 'Ruby'],
  ['raise E unless name =~ /^[a-z]+$/', 'name', 'Ruby'],
  ['raise E unless params.include?(name)', 'name', 'Ruby'],
  ['raise E unless NAMES.include?(name)\nname = gets', 'name', 'Ruby'],
  ['raise E unless NAMES.include?(name)\nall.each do |name|', 'name', 'Ruby'],
])('%s does not make sure of %s', (above, code, language) => {
  const lines = [...above.split('\n'), 'run(name)'];
  expect(isCheckedAbove(code, { lines, line: lines.length, language })).toBe(false);
});

test('a function that checks by its name counts if that is asked', () => {
  const php = useOf('if (!is_valid_name($name)) die();', 'Php');
  expect(isCheckedByName('$name', php)).toBe(true);
  expect(isCheckedByName('$other', php)).toBe(false);
  expect(isCheckedByName('$name', useOf('if (is_valid_name($name)) die();', 'Php'))).toBe(false);
  expect(isCheckedByName('$name', useOf('if (!user_exists($name)) die();', 'Php'))).toBe(false);
  expect(isCheckedByName('$name', useOf('if (is_invalid($name)) {', 'Php'))).toBe(false);
  expect(isCheckedByName('name', useOf('if not NAME_PATTERN.fullmatch(name):\n    raise E', 'Python'))).toBe(true);
  expect(isCheckedByName('name', useOf('raise E unless valid_name?(name)', 'Ruby'))).toBe(true);
});

test('the condition of a choice makes sure of one of its values', () => {
  const use = useOf('', 'Php');
  expect(isCheckedBy('!empty($_GET["id"]) && is_number($_GET["id"])', '$_GET[id]', use, true)).toBe(true);
  expect(isCheckedBy('is_number($_GET["id"])', '$_GET[id]', use, false)).toBe(false);
  expect(isCheckedBy('!is_number($_GET["id"])', '$_GET[id]', use, false)).toBe(true);
});

test('a call of a function that cleans what it gets hides its arguments, and no other call does', () => {
  expect(withoutCleaned('clean_input(trim($_POST["a"])) . $b')).toBe('1 . $b');
  expect(withoutCleaned('Db::makeSafe($_POST["a"])')).toBe('1');
  const kept = [
    'check_output(request.args["a"])',
    'mark_safe(a)',
    'unescape(a)',
    'xss_clean(a)',
    'trim(a)',
    'unsafe(a)',
    'checkout(a)',
  ];
  expect(kept.map(withoutCleaned)).toEqual(kept);
});
