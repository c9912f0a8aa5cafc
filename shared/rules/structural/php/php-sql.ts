import type { StructuralRule } from '../../model/rule.ts';
import { anArgument, called, PHP_COMPOSED, PHP } from './php-calls.ts';

const SQL = '(?i)^["\']\\s*(select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)';

export const PHP_SQL_RULE: StructuralRule = {
  id: 'php-sql-concat',
  languages: PHP,
  severity: 'P1',
  blocking: true,
  title: 'SQL statement is built from strings',
  explanation:
    'SQL injection: a value inserted into the statement as text can change the statement. Use `prepare` and bind the value.',
  rule: {
    any: [
      {
        kind: 'member_call_expression',
        has: { field: 'name', regex: '^(query|exec|prepare|get_results|get_row|get_var|select|statement|raw)$' },
      },
      called('^(mysqli_query|pg_query|mysql_query|sqlite_query)$'),
    ],
    all: [
      anArgument({
        any: [{ all: [PHP_COMPOSED, { regex: SQL }] }, { kind: 'variable_name', regex: '(?i)sql|query|stmt|^.q$' }],
      }),
    ],
  },
  builds: { for: 'sql', from: 'ARGUMENT' },
  graveIf: 'outside or text',
  // What is not between quotes is mostly a number, or a part of the statement that the program has built.
  mildIf: 'text',
  where: 'production',
  examples: [
    {
      code: '<?php\n$db->query("SELECT * FROM users WHERE id = $id");\n$db->query("SELECT a FROM b WHERE c=\'{$row[\'gid\']}\' AND d=1 $more");\n$db->query("SELECT a FROM b WHERE c=\'{$row[\'name\']}\'");\n$db->query("SELECT a FROM b WHERE c = " . $_GET["c"]);\n',
      lines: [4, 5],
      mild: [4],
    },
    { code: '<?php\n$id = $_GET["id"];\n$db->query("SELECT * FROM users WHERE id = $id");\n', lines: [3] },
    // What the server sets, and what the program keeps.
    {
      code: "<?php\n$page = basename($_SERVER['SCRIPT_NAME']);\n$db->query(\"SELECT a FROM b WHERE c = '$page' AND d = '{$_SERVER['REMOTE_ADDR']}'\");\n$db->query(\"SELECT a FROM b WHERE c = '{$_SERVER['HTTP_HOST']}'\");\n$db->query(\"SELECT a FROM b WHERE c = '{$_SERVER['PHP_SELF']}'\");\n",
      lines: [4, 5],
    },
    {
      code: "<?php\nlist($name, $title) = $db->next_record();\n$db->query(\"SELECT a FROM b WHERE c = '$title' AND d = '{$_SESSION['login']}'\");\nwhile ($row = $result->fetch_assoc()) {\n  $login = $row['login'];\n  $db->query(\"SELECT a FROM b WHERE c = '{$row['name']}' AND d = '$login'\");\n  $db->query(\"SELECT a FROM b WHERE c = '{$row['name']}' AND d = '$other'\");\n}\n",
      lines: [7],
      mild: [7],
    },
    // Functions whose names say that they check or clean the value.
    {
      code: "<?php\nif (!is_valid_email($_POST['email'])) {\n  die('no');\n}\n$email = $_POST['email'];\n$db->query(\"SELECT a FROM b WHERE c = '$email'\");\n$name = clean_input($_POST['name']);\n$db->query(\"SELECT a FROM b WHERE c = '$name'\");\n$title = trim($_POST['title']);\n$db->query(\"SELECT a FROM b WHERE c = '$title'\");\nif (user_exists($_POST['a'])) $db->query(\"SELECT a FROM b WHERE c = '{$_POST['a']}'\");\n",
      lines: [6, 8, 10, 11],
      mild: [6, 8],
    },
    { code: '<?php\nmysqli_query($c, "DELETE FROM users WHERE name = \'" . $name . "\'");\n', lines: [2], mild: [2] },
    {
      code: '<?php\nfunction f(int $id, $name) {\n  $db->query("SELECT * FROM users WHERE id = $id");\n  $db->query("SELECT * FROM users WHERE name = \'$name\'");\n}\n',
      lines: [4],
    },
    {
      code: "<?php\nfunction a($ip) {\n  $ip = read_ip();\n}\nfunction b($db, $keyword, $url, $clicks) {\n  $id = my_intval($keyword);\n  $next = ( $keyword ? my_string2int($keyword) : $id );\n  $ip = my_escape(read_ip());\n  $url = $db->quote($url);\n  if (is_int($clicks)) $db->query(\"UPDATE urls SET url = $url, ip = '$ip', id = '$next', clicks = $clicks WHERE id = $id\");\n}\n",
      lines: [],
    },
    {
      code: '<?php\nfunction f($db, $url) {\n  if ($url) {\n    $name = my_escape($url);\n  } else {\n    $name = read_name();\n  }\n  $db->query("DELETE FROM users WHERE name = \'$name\'");\n}\n',
      lines: [8],
      mild: [8],
    },
    {
      code: '<?php\nif (!isset($_GET["id"]) || !is_number($_GET["id"])) {\n  if (isset($_GET["post"]) && is_number($_GET["post"])) {\n    $db->query("SELECT a FROM b WHERE id = $_GET[post]");\n  } else {\n    error(0);\n  }\n} else {\n  $id = $_GET["id"];\n}\n$db->query("SELECT a FROM b WHERE id = \'$id\'");\n$name = db_string($_POST["name"]);\n$db->query("SELECT a FROM b WHERE name = \'$name\'");\n$db->query("SELECT a FROM b WHERE c = 1 " . (is_number($_GET["d"]) ? " AND d = \'$_GET[d]\'" : ""));\n',
      lines: [],
    },
    {
      code: '<?php\nif (!is_number($_GET["id"])) {\n  log_it("no number");\n}\n$id = $_GET["id"];\n$db->query("SELECT a FROM b WHERE id = \'$id\'");\n$name = stripslashes(db_string($_POST["name"]));\n$db->query("SELECT a FROM b WHERE name = \'$name\'");\n$db->query("SELECT a FROM b WHERE c = 1 " . (is_number($_GET["d"]) ? "" : " AND d = \'$_GET[d]\'"));\n',
      lines: [6, 8, 9],
    },
    {
      code: '<?php\n$db->query("SELECT a FROM b WHERE id = \'" . G::$LoggedUser["ID"] . "\'");\n$db->query("SELECT a FROM b WHERE id = \'$LoggedUser[ID]\' AND c = \'$_SESSION[user_id]\'");\n',
      lines: [],
    },
    {
      code: "<?php\nfunction f($ID, $Name) {\n  $db->query(\"SELECT a FROM b WHERE id = '$ID'\");\n  $db->query(\"SELECT a FROM b WHERE c = '$Name'\");\n  $db->query(\"SELECT a FROM b WHERE c = '$LoggedUser[Name]' AND d = '$_GET[id]'\");\n}\n",
      lines: [3, 4, 5],
      mild: [3],
    },
    {
      code: '<?php\n$Joins[] = "JOIN c ON c.id = b.id";\n$Where[] = "b.d = \'" . db_string($_GET["d"]) . "\'";\n$way = "asc";\nif ($_GET["way"] == "asc" || $_GET["way"] == "desc") {\n  $way = $_GET["way"];\n}\n$db->query("SELECT a FROM b " . implode(" ", $Joins) . " WHERE " . implode(" AND ", $Where) . " ORDER BY a $way");\n$db->query("UPDATE b SET a = \'" . sqltime() . "\', c = \'" . time() . "\' WHERE d = \'" . db_string($_GET["d"]) . "\'");\n$group = isset($groups[$_POST["group"]]) ? $_POST["group"] : message("no group");\n$db->query("SELECT a FROM b WHERE c = \'$group\'");\n',
      lines: [],
    },
    {
      code: '<?php\nif ($_GET["way"] == "asc" || $_GET["way"] != "desc") {\n  $way = $_GET["way"];\n}\n$db->query("SELECT a FROM b ORDER BY a $way");\n$db->query("UPDATE b SET a = \'" . sqltime() . "\', c = \'" . $_GET["time"] . "\' WHERE d = 1");\n$group = isset($_POST["group"]) ? $_POST["group"] : message("no group");\n$db->query("SELECT a FROM b WHERE c = \'$group\'");\n$db->query("SELECT a FROM b WHERE c IN (\'" . implode("\', \'", $_POST["names"]) . "\')");\n',
      lines: [5, 6, 8, 9],
    },
    {
      code: '<?php\n$db->prepare("SELECT CASE active WHEN 1 THEN \'" . $lang["yes"] . "\' END FROM users");\n',
      lines: [],
    },
    { code: '<?php\n$s = $db->prepare("SELECT * FROM users WHERE id = ?");\n$queue->exec("task $id");\n', lines: [] },
  ],
};
