import type { GrepNode, StructuralRule } from '../../model/rule.ts';
import { anArgument, called, itsFirstArgument, PHP_COMPOSED, PHP, REQUEST } from './php-calls.ts';
import { PHP_SQL_RULE } from './php-sql.ts';

const NAME: GrepNode = { kind: 'variable_name' };

const CODE: GrepNode = {
  any: [PHP_COMPOSED, { kind: 'variable_name', regex: '(?i)code|cmd|php|input|eval' }, { regex: `^${REQUEST}` }],
  // A template of the program.
  not: { regex: '(?i)get_?template\\(|templates?(->|::)(get|render|fetch)\\(' },
};

export const PHP_RULES: readonly StructuralRule[] = [
  {
    id: 'php-eval',
    languages: PHP,
    severity: 'P1',
    blocking: true,
    title: 'Computed string is run as code',
    explanation: 'Anyone who controls the string can run code in this process. Parse the data or use a lookup table.',
    rule: {
      any: [
        { all: [called('^(eval|create_function)$'), anArgument(CODE)] },
        // The second argument is only a message.
        { all: [called('^assert$'), itsFirstArgument(CODE)] },
      ],
    },
    builds: { for: 'code', from: 'ARGUMENT', unknown: 'counts' },
    graveIf: 'outside or parameter',
    // A template, or an expression around which the program writes code. A caller that chooses all of the code is another case.
    outsideOnlyIf: /^\w{1,20}\s{0,9}\(\s{0,9}["']/,
    examples: [
      {
        code: '<?php\nfunction show($text, $data) {\n  extract($data);\n  eval("?>" . $text . "<?");\n  eval("?>" . $_GET["text"]);\n  eval("return " . $text . ";");\n}\n',
        lines: [4, 5, 6],
        mild: [4, 6],
      },
      { code: '<?php\nfunction run($code) {\n  eval($code);\n}\n', lines: [3] },
      {
        code: '<?php\nfunction run($text) {\n  $text = preg_replace(["/request:(a)/"], ["(\\$a[1] ?? null) request(\\$_COOKIE[1])"], $text);\n  return eval("return ({$text});");\n}\n',
        lines: [4],
        mild: [4],
      },
      {
        code: '<?php\neval("\\$page .= \\"" . $this->getTemplate("row") . "\\";");\neval(\'$page = "\' . $templates->get("row") . \'";\');\n',
        lines: [],
      },
      { code: '<?php\neval("return $expression;");\n', lines: [2], mild: [2] },
      { code: '<?php\neval($_POST["code"]);\n', lines: [2] },
      { code: '<?php\n$a = json_decode($input);\nassert($a !== null);\n', lines: [] },
      { code: '<?php\nassert($file !== false, "Could not open ".$name." for reading.");\n', lines: [] },
      { code: '<?php\nassert("is_a($value, " . $_GET["type"] . ")");\n', lines: [2] },
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
        {
          all: [
            called('^(exec|shell_exec|system|passthru|popen|proc_open)$'),
            anArgument({ any: [PHP_COMPOSED, NAME] }),
          ],
        },
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
  PHP_SQL_RULE,
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
