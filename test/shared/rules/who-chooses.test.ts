/** Who chooses a value, and for whom a key or an unverified connection is: findings that block, and those that need not. */
import { describe, expect, it } from 'vitest';
import { reviewFiles } from './review-files.ts';

const RANDOM = 'q7Zt9mWx2LkP4vBn8RsD3yHc6';
const BASE64 = 'q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt';
const KEY = [['-----BEGIN ', 'PRIVATE KEY-----'].join(''), BASE64, BASE64, ''].join('\n');
const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** A file of a key and a certificate for the name, of which only the name is read. */
const withCertificate = (name: string): string => {
  const body = Buffer.from(`${'\0\u0001\u0002'.repeat(40)}${name}0${'\u0082\u0003'.repeat(40)}`, 'latin1').toString(
    'base64',
  );
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n${KEY}`;
};

const foundIn = async (path: string, text: string): Promise<readonly string[]> => {
  const changedLines = new Set(text.split('\n').map((_, index) => index + 1));
  const { findings } = await reviewFiles([{ path, text, changedLines }], new AbortController().signal);
  return findings.map(
    ({ rule, severity, blocking, line }) => `${line} ${severity}${blocking ? ' blocks' : ''} ${rule}`,
  );
};

type Row = readonly [what: string, path: string, text: string, found: readonly string[]];

describe('a command', () => {
  it.each<Row>([
    ['a parameter of a function', 'app/a.rb', 'def f(name)\n  `ls #{name}`\nend\n', ['2 P1 blocks rb-shell-by-string']],
    ['one of a task', 'lib/tasks/a.rb', 'def f(name)\n  `ls #{name}`\nend\n', ['2 P2 rb-shell-by-string']],
    [
      'one of a program for a terminal',
      'lib/cli.rb',
      'def f(name)\n  `ls #{name}`\nend\n',
      ['2 P2 rb-shell-by-string'],
    ],
    [
      'a request in a task',
      'lib/tasks/a.rb',
      'def f\n  `ls #{params[:name]}`\nend\n',
      ['2 P1 blocks rb-shell-by-string'],
    ],
    [
      'a parameter of a tool',
      'app/console/a.py',
      'def f(name):\n    os.system("ls " + name)\n',
      ['2 P2 py-shell-by-string'],
    ],
    ['a parameter', 'app/a.py', 'def f(name):\n    os.system("ls " + name)\n', ['2 P1 blocks py-shell-by-string']],
    [
      'its own arguments, and a request',
      'a.go',
      'package a\n\nfunc f(r *http.Request) {\n\texec.Command("sh", "-c", "ls "+os.Args[1]).Run()\n\texec.Command("sh", "-c", "ls "+r.FormValue("a")).Run()\n}\n',
      ['4 P2 go-shell-by-string', '5 P1 blocks go-shell-by-string'],
    ],
    [
      'a parameter that Spring fills',
      'A.java',
      'class A {\n  @GetMapping("/a")\n  String f(@RequestParam String name) {\n    Runtime.getRuntime().exec("ls " + name);\n  }\n  void g(String name) {\n    Runtime.getRuntime().exec("ls " + name);\n  }\n}\n',
      ['4 P1 blocks java-shell-by-string', '7 P2 java-shell-by-string'],
    ],
  ])('is judged by who chooses its value: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});

describe('code in PHP', () => {
  it.each<Row>([
    [
      'of a name that is a key of a table, in other letters',
      'a.php',
      "<?php\nclass A {\n  function load($requestName) {\n    $key = strtolower($requestName);\n    if (isset(self::$aliases[$key])) {\n      return eval('class ' . $requestName . ' extends A {}');\n    }\n    eval('class ' . $requestName . ' extends A {}');\n  }\n}\n",
      ['8 P1 blocks php-eval'],
    ],
  ])('is judged by checks of what holds the same value: %s', async (_what, path, text, found) => {
    expect((await foundIn(path, text)).filter((each) => each.includes('P1'))).toEqual(found);
  });
});

describe('code of JavaScript', () => {
  it.each<Row>([
    ['a parameter', 'src/a.js', 'function f(text) {\n  eval(text);\n}\n', ['2 P1 blocks js-eval']],
    ['a parameter in a page', 'public/js/a.js', 'function f(text) {\n  eval(text);\n}\n', ['2 P2 js-eval']],
    [
      'an address in a page',
      'public/js/a.js',
      'function f() {\n  eval(location.hash.slice(1));\n}\n',
      ['2 P1 blocks js-eval'],
    ],
  ])('is judged by who chooses it: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});

describe('a statement', () => {
  it.each<Row>([
    [
      'a parameter of a route, not in quotes',
      'a.py',
      '@app.get("/a")\ndef f(name):\n    db.execute(f"SELECT a FROM b WHERE c = {name}")\ndef g(name):\n    db.execute(f"SELECT a FROM b WHERE c = {name}")\n',
      ['3 P1 blocks py-sql-concat', '5 P2 py-sql-concat'],
    ],
    [
      'placeholders',
      'a.go',
      'package a\n\nfunc f(ids []string) {\n\ttx.Exec(`DELETE FROM `+tenant("box")+` WHERE ID IN (?`+strings.Repeat(",?", len(ids)-1)+`)`, args...)\n\tcode := hex.EncodeToString(packed)\n\ttx.Exec(fmt.Sprintf(`INSERT INTO %s (ID, Mail) VALUES(?, x\'%s\')`, tenant("box"), code), id)\n\ttx.Exec(`DELETE FROM box WHERE ID = \'` + name + `\'`)\n}\n',
      ['7 P2 go-sql-concat'],
    ],
  ])('is judged by who chooses its value: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});

describe('a connection that is not verified', () => {
  it.each<Row>([
    [
      'by an option, with its brace on the next line',
      'A.cs',
      'class A\n{\n  void F(bool disableTlsValidation)\n  {\n    if (disableTlsValidation)\n    {\n      handler.ServerCertificateCustomValidationCallback = (a, b, c, d) => true;\n    }\n  }\n}\n',
      [],
    ],
    [
      'always',
      'A.cs',
      'class A\n{\n  void F(bool other)\n  {\n    if (other)\n    {\n      handler.ServerCertificateCustomValidationCallback = (a, b, c, d) => true;\n    }\n  }\n}\n',
      ['7 P1 blocks cs-tls-not-verified'],
    ],
    [
      'to learn whether a server answers',
      'a.ts',
      'export const router = create({\n  ping: procedure.query(async ({ input }) => {\n    const agent = new https.Agent({ rejectUnauthorized: false });\n    return axios.get(urlOf(input), { agent });\n  }),\n});\n',
      ['3 P2 js-tls-not-verified'],
    ],
    [
      'with a secret, to learn whether a server answers',
      'a.ts',
      'export const router = create({\n  ping: procedure.query(async ({ input }) => {\n    const agent = new https.Agent({ rejectUnauthorized: false });\n    return axios.get(urlOf(input), { agent, headers: { authorization: input.token } });\n  }),\n});\n',
      ['3 P1 blocks js-tls-not-verified'],
    ],
    [
      'for a picture',
      'a.php',
      "<?php\n$options = array('ssl' => array('verify_peer' => false));\n$text = file_get_contents($request->input('icon'), false, stream_context_create($options));\n",
      ['2 P2 php-tls-not-verified'],
    ],
    [
      'for anything',
      'a.php',
      "<?php\n$options = array('ssl' => array('verify_peer' => false));\n$text = file_get_contents('https://api.vendor.com/prices', false, stream_context_create($options));\n",
      ['2 P1 blocks php-tls-not-verified'],
    ],
    [
      'by a program whose words only contain those of such a request',
      'ship.sh',
      'echo shipping\ncurl --insecure https://shop.example.com/mapping/silicon\n',
      ['2 P1 blocks sh-tls-not-verified'],
    ],
    [
      'to ask for its health',
      'ask.sh',
      'curl --insecure https://shop.example.com/healthz -o state.json\n',
      ['1 P2 sh-tls-not-verified'],
    ],
    [
      'in this network',
      'a.py',
      'requests.get("https://192.168.1.20/state", verify=False)\n',
      ['1 P2 py-tls-not-verified'],
    ],
    [
      'in this network, with a password',
      'a.py',
      'requests.get("https://192.168.1.20/state", auth=("admin", password), verify=False)\n',
      ['1 P1 blocks py-tls-not-verified'],
    ],
    [
      'by an option that does not say so',
      'a.py',
      'def f(self, url):\n    if self.options.get("lab"):\n        return requests.get(url, verify=False)\n    return requests.get(url, verify=False)\n',
      ['3 P2 py-tls-not-verified', '4 P1 blocks py-tls-not-verified'],
    ],
  ])('is judged by its reason: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});

describe('a key', () => {
  const CERTIFICATE = /^[\s\S]*END CERTIFICATE-----\n/;
  it.each([
    ['for a name of one network', '*.home.local', ['P2 a/b.key']],
    ['of a server in use', 'www.shop.com', ['P0 a/b.key']],
  ])('is judged by the certificate beside it: %s', async (_what, name, found) => {
    const [certificate = ''] = CERTIFICATE.exec(withCertificate(name)) ?? [];
    const changedLines = new Set([1, 2, 3, 4, 5, 6]);
    const files = [
      { path: 'a/b.key', text: KEY, changedLines },
      { path: 'a/b.crt', text: certificate, changedLines },
    ];
    const { findings } = await reviewFiles(files, new AbortController().signal);
    expect(findings.map(({ severity, path }) => `${severity} ${path}`)).toEqual(found);
  });
});

describe('a secret', () => {
  it.each<Row>([
    [
      'a key for a name of one network',
      'roles/a/files/b.pem',
      withCertificate('*.home.local'),
      ['4 P2 secret-private-key'],
    ],
    ['a key for this machine', 'roles/a/files/b.pem', withCertificate('localhost'), ['4 P2 secret-private-key']],
    [
      'a key of a server in use',
      'roles/a/files/b.pem',
      withCertificate('www.shop.com'),
      ['4 P0 blocks secret-private-key'],
    ],
    ['one by its path', 'production/b.pem', withCertificate('localhost'), ['4 P0 blocks secret-private-key']],
    ['a key of a virtual machine', 'vagrant/conf/server.key', KEY, ['1 P2 secret-private-key']],
    ['a key', 'conf/server.key', KEY, ['1 P0 blocks secret-private-key']],
    [
      'the setting of a test, and one of a server in use',
      'config/secrets.yml',
      `test:\n  api_key: '${RANDOM}'\n\nproduction:\n  api_key: '${RANDOM}'\n`,
      ['5 P1 blocks secret-credential'],
    ],
    ['a signed name', 'a.json', `{"api_key": "${encoded('"API Key"')}:1ejMDD:${RANDOM}"}\n`, []],
    [
      'a signed value',
      'a.json',
      `{"api_key": "${encoded('"k8#tQ!z"')}:1ejMDD:${RANDOM}"}\n`,
      ['1 P1 blocks secret-credential'],
    ],
    ['zeros', 'a.json', `{"api_key": "${Buffer.alloc(24).toString('base64')}"}\n`, []],
    [
      'a part of an address',
      'a.php',
      "<?php\n$url = $a . '/api?apikey=' . $key . '&cmd=1';\n$url = $a.'/api?apikey='.$apikey.'&cmd='.$b;\n",
      [],
    ],
  ])('is judged by whom it lets in: %s', async (_what, path, text, found) => {
    expect(await foundIn(path, text)).toEqual(found);
  });
});
