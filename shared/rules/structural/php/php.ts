import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { anArgument, called, PHP, REQUEST } from './php-calls.ts';

/** A string composed of parts that are not all literals. */
const COMPOSED: GrepNode = {
  any: [
    {
      kind: 'encapsed_string',
      has: {
        any: ['variable_name', 'subscript_expression', 'member_access_expression', 'dynamic_variable_name'].map(
          (kind) => ({ kind }),
        ),
        stopBy: 'end',
      },
    },
    {
      kind: 'binary_expression',
      all: [
        { has: { field: 'operator', regex: '^\\.$' } },
        {
          has: {
            any: ['variable_name', 'subscript_expression', 'member_access_expression'].map((kind) => ({ kind })),
            stopBy: 'end',
          },
        },
      ],
    },
  ],
};
const NAME: GrepNode = { kind: 'variable_name' };
const SQL = '(?i)^["\']\\s*(select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)';
export const PHP_RULES: readonly StructuralRule[] = [
  {
    id: 'php-eval',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Computed string is run as code',
    explanation: 'Anyone who controls the string can run code in this process. Parse the data or use a lookup table.',
    rule: {
      all: [
        called('^(eval|create_function|assert)$'),
        anArgument({
          any: [COMPOSED, { kind: 'variable_name', regex: '(?i)code|cmd|php|input|eval' }, { regex: `^${REQUEST}` }],
          // A template of the program.
          not: { regex: '(?i)get_?template\\(|templates?(->|::)(get|render|fetch)\\(' },
        }),
      ],
    },
    builds: { for: 'code', from: 'ARGUMENT', unknown: 'counts' },
    graveIf: 'outside or parameter',
    examples: [
      {
        code: '<?php\neval("\\$page .= \\"" . $this->getTemplate("row") . "\\";");\neval(\'$page = "\' . $templates->get("row") . \'";\');\n',
        lines: [],
      },
      { code: '<?php\neval("return $expression;");\n', lines: [2] },
      { code: '<?php\neval($_POST["code"]);\n', lines: [2] },
      { code: '<?php\n$a = json_decode($input);\nassert($a !== null);\n', lines: [] },
    ],
  },
  {
    id: 'php-shell-by-string',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Request data is inserted into a shell command',
    explanation:
      'Shell injection: a space, quote or semicolon in the inserted value changes the command. Use `proc_open` with an array, or `escapeshellarg` on each value.',
    rule: {
      any: [
        { all: [called('^(exec|shell_exec|system|passthru|popen|proc_open)$'), anArgument({ any: [COMPOSED, NAME] })] },
        { kind: 'shell_command_expression', pattern: '$ARGUMENT', has: { kind: 'variable_name', stopBy: 'end' } },
      ],
    },
    // Whether other values are quoted, the file often does not show: an included file has assigned them.
    builds: { for: 'shell', from: 'ARGUMENT', only: 'request' },
    where: 'production',
    examples: [
      { code: '<?php\nexec("rm " . $_POST["path"]);\n', lines: [2] },
      { code: '<?php\n$path = trim($_GET["path"]);\n$out = shell_exec("ls $path");\n', lines: [3] },
      {
        code: '<?php\nexec("ls " . escapeshellarg($_GET["path"]));\nexec("date");\n$curl->exec("a $_GET[b]");\n',
        lines: [],
      },
      {
        code: '<?php\n$zone = $_POST["zone"];\n$zone = escapeshellarg($zone);\n$zone = strtolower($zone);\nexec("add $zone");\n',
        lines: [],
      },
      { code: '<?php\n$zone = $_POST["zone"];\n$zone = trim($zone);\nexec("add $zone");\n', lines: [4] },
      {
        code: '<?php\n$name = quoteshellarg($_POST["name"]);\nif (!empty($_POST["port"])) {\n  $port = quoteshellarg($_POST["port"]);\n} else {\n  $port = "587";\n}\nexec(COMMAND . $user . " " . $name . " " . $port);\n',
        lines: [],
      },
    ],
  },
  {
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
          any: [{ all: [COMPOSED, { regex: SQL }] }, { kind: 'variable_name', regex: '(?i)sql|query|stmt|^.q$' }],
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
  },
  {
    id: 'php-unsafe-deserialise',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'unserialize can build objects of any class',
    explanation:
      'A crafted string can run code through magic methods. Use `json_decode`, or pass `["allowed_classes" => false]`.',
    rule: {
      all: [
        called('^unserialize$'),
        anArgument({
          regex: '(?i)\\$_(GET|POST|REQUEST|COOKIE)\\b|cookie|request|input|body',
        }),
      ],
      not: { any: [{ regex: 'allowed_classes' }, { regex: '^unserialize\\(\\s*serialize\\(' }] },
    },
    where: 'production',
    examples: [
      { code: '<?php\n$user = unserialize($cookie);\n', lines: [2] },
      {
        code: '<?php\n$user = unserialize($cookie, ["allowed_classes" => false]);\n$item = unserialize(file_get_contents($cacheFile));\n$job = unserialize($job->payload);\n$last = unserialize($_SESSION["last"]);\n',
        lines: [],
      },
    ],
  },
  {
    id: 'php-tls-not-verified',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'TLS certificates are not verified',
    explanation:
      'Anyone on the network path can impersonate the server and read or change all traffic. Set `CURLOPT_CAINFO` to a private certificate authority instead.',
    rule: {
      any: [
        { pattern: 'curl_setopt($HANDLE, CURLOPT_SSL_VERIFYPEER, $OFF)' },
        { pattern: 'curl_setopt($HANDLE, CURLOPT_SSL_VERIFYHOST, $OFF)' },
        {
          kind: 'array_element_initializer',
          regex: '(?i)^(CURLOPT_SSL_VERIFYPEER|CURLOPT_SSL_VERIFYHOST|["\']verify_peer["\'])\\s*=>\\s*(false|0)$',
        },
      ],
    },
    constraints: { OFF: { regex: '^(?i:false|0)$' } },
    where: 'production',
    examples: [
      { code: '<?php\ncurl_setopt($curl, CURLOPT_SSL_VERIFYPEER, false);\n', lines: [2] },
      { code: '<?php\n$options = [\n  CURLOPT_SSL_VERIFYPEER => false,\n];\n', lines: [3] },
      {
        code: '<?php\n# Do not verify the certificate: the server does not send the intermediate one.\n$html = load($url, array(\n  CURLOPT_SSL_VERIFYPEER => 0,\n));\n',
        lines: [],
      },
      {
        code: "<?php\n$mail->SMTPOptions = array(\n  'ssl' => array(\n    'verify_peer' => false,\n  )\n);\nif (gethostbynamel('postfix')) {\n  $mail->Host = 'postfix';\n}\n",
        lines: [],
      },
      { code: '<?php\ncurl_setopt($curl, CURLOPT_SSL_VERIFYPEER, true);\n', lines: [] },
    ],
  },
  {
    id: 'php-weak-password-hash',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Password is hashed with MD5 or SHA-1',
    explanation:
      'Attackers can try billions of guesses per second against these hashes. Use `password_hash` and `password_verify`.',
    rule: {
      all: [called('^(md5|sha1)$'), anArgument({ regex: '(?i)pass(word|wd)?\\b|pwd' })],
      // Old hashes that are still accepted, and protocols that prescribe the hash.
      not: {
        inside: {
          stopBy: 'end',
          any: [{ kind: 'function_definition' }, { kind: 'method_declaration' }],
          regex:
            '(?i)legacy|\\bold|rehash|migrat|deprecat|compat|digest|subsonic|pwned|\\bha1\\b|phpass|md5_?pass|crypt_?private|PHP_VERSION',
        },
      },
    },
    where: 'production',
    examples: [
      {
        code: '<?php\nfunction check($password, $hash) {\n  if (md5($password) === $hash) return needsRehash();\n}\nfunction store($password) {\n  return md5($password);\n}\n',
        lines: [6],
      },
      { code: '<?php\n$hash = md5($password);\n', lines: [2] },
      {
        code: '<?php\nfunction check($user, $password) {\n  if (has_phpass_password($user)) return $hasher->check($password);\n  return $stored[$user] === md5($salt . $password);\n}\n',
        lines: [],
      },
      { code: '<?php\n$hash = password_hash($password, PASSWORD_DEFAULT);\n$key = md5($url);\n', lines: [] },
    ],
  },
  {
    id: 'php-world-writable',
    languages: PHP,
    severity: 'P2',
    blocking: true,
    title: 'File is writable by everyone',
    explanation:
      'Every account on the machine can change the file. Grant only the permissions that are needed, such as `0755` or `0600`.',
    rule: { pattern: 'chmod($PATH, $MODE)' },
    constraints: { MODE: { regex: '^0o?[0-7]?[0-7][0-7][2367]$' } },
    where: 'production',
    examples: [
      { code: '<?php\nchmod($path, 0777);\n', lines: [2] },
      { code: '<?php\nchmod($path, 0755);\n', lines: [] },
    ],
  },
];
