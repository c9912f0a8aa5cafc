import { describe, expect, it } from 'vitest';
import { findSecretRanges, redactSecrets } from '../../../shared/rules/secrets/secret-ranges.ts';
import { scanFileForSecrets } from '../../../shared/rules/secrets/scan-secrets.ts';

const signal = new AbortController().signal;

/** Strings that a scanner would flag exist only while the tests run. */
const join = (...parts: readonly string[]): string => parts.join('');
const noise = (length: number): string => 'q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5'.repeat(20).slice(0, length);
const hex = (length: number): string => '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'.repeat(3).slice(0, length);
const jwt = (claims: string): string =>
  join('ey', 'J', noise(30), '.', Buffer.from(claims).toString('base64url'), '.', noise(43));
const base64Line = `${noise(60)}9f86`;
const pem = (ending: string): string =>
  [
    join('-----BEGIN RSA ', 'PRIVATE KEY-----'),
    base64Line,
    base64Line,
    join('-----END RSA ', 'PRIVATE KEY-----'),
    '',
  ].join(ending);

const leaks: readonly (readonly [string, string, string])[] = [
  ['secret-gitlab', 'P0', join('gl', 'pat-', noise(20))],
  ['secret-gitlab', 'P0', join('gl', 'dt-', noise(24))],
  ['secret-github', 'P0', join('gh', 'p_', noise(36))],
  ['secret-anthropic', 'P0', join('sk-', 'ant-api03-', noise(93), 'AA')],
  ['secret-stripe', 'P0', join('sk_', 'live_', noise(24))],
  ['secret-pypi', 'P0', join('pypi-', 'AgE', noise(60))],
  ['secret-docker', 'P0', join('dckr_', 'pat_', noise(27))],
  ['secret-digitalocean', 'P0', join('dop_', 'v1_', hex(64))],
  ['secret-telegram', 'P0', join('928374655', ':AA', noise(33))],
  ['secret-slack', 'P0', join('xox', 'b-', '123456789012-1234567890123-', noise(24))],
  ['secret-aws-key-id', 'P1', join('AK', 'IA', 'J5Q7R2D9K8L1M3N4')],
  ['secret-jwt', 'P1', join('ey', 'J', noise(30), '.ey', 'J', noise(40), '.', noise(43))],
];

describe('findSecretRanges', () => {
  it.each(leaks)('finds a %s with severity %s', async (rule, severity, secret) => {
    const text = `const é = 1;\nconst value = '${secret}';\n`;
    const ranges = await findSecretRanges(text, signal);
    expect(ranges.map((range) => [range.rule.id, range.rule.severity, text.slice(range.start, range.end)])).toEqual([
      [rule, severity, secret],
    ]);
  });

  const named: readonly (readonly [string, string, string])[] = [
    ['secret-forgejo', `FORGEJO_TOKEN: ${hex(40)}`, hex(40)],
    ['secret-forgejo', `headers: { Authorization: "token ${hex(40)}" }`, hex(40)],
    ['secret-credential', `db_password = "${noise(12)}"`, noise(12)],
    ['secret-client-secret', `"clientSecret": "${noise(24)}"`, noise(24)],
    ['secret-credential', `CLIENT_SECRET=${noise(24)}`, noise(24)],
    ['secret-credential', `const apiKey: string = '${noise(24)}';`, noise(24)],
    ['secret-credential', `SMTP_PASSWORD=${noise(14)}`, noise(14)],
    ['secret-credential', `'password' => '${noise(16)}',`, noise(16)],
    ['secret-connection-string', `url = "redis://:${noise(12)}@cache.corp.net:6379"`, `:${noise(12)}@cache.corp.net`],
  ];
  it.each(named)('finds a %s in %s', async (rule, text, secret) => {
    const ranges = await findSecretRanges(text, signal);
    expect(ranges.map((range) => [range.rule.id, text.slice(range.start, range.end)])).toEqual([[rule, secret]]);
  });

  it.each([
    'SA_PASSWORD=@someThingComplicated1234',
    'password = "Duplicate_Key_42"',
    'https://deploy:token@shop.example.net/a.git',
    `@ApiProperty({ example: { token: '${noise(30)}' } })`,
    `SUPABASE_ANON_KEY=${join('ey', 'J', noise(30), '.ey', 'J', noise(40), '.', noise(43))}`,
    'password = "changeme"',
    `account_key = "${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}"`,
    'password = "admin123"',
    `SESSION_PASSWORD = '${noise(40)}' # replace with a strong password`,
    'private_key = "/home/name/.ssh/id_ed25519"',
    'private_key = "~/.ssh/id_ed25519"',
    'password: "${DB_PASSWORD}"',
    'const password = process.env.DB_PASSWORD;',
    'resetPassword: "auth.forgot_password",',
    "'password' => 'required|min:8|confirmed',",
    'passwordPattern = "^(?=.*[A-Z])(?=.*[0-9]).{8,}$"',
    'token = "X-Api-Key-Header-Name-Long"',
    'url = "postgres://postgres:postgres@localhost:5432/app"',
    'url = "amqp://guest:guest@rabbit"',
    'url = "https://user:password@example.com/"',
    'password = getpass.getpass("Password 123: ")',
    'PASSWORD=$OTHER',
    'secret_name = "projects/app/secrets/db2"',
    'const key = "-----BEGIN " + kind + " PRIVATE KEY-----";',
    'integrity sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b9f86d081884c7d659a2feaa0',
  ])('stays silent about %s', async (text) => {
    expect(await findSecretRanges(text, signal)).toEqual([]);
  });

  it('leaves out addresses that show how one is written', async () => {
    const address = (user: string, password: string): string =>
      join('mongodb://', user, ':', password, '@db.internal.org/a');
    const count = async (text: string): Promise<number> => (await findSecretRanges(text, signal)).length;
    expect(await count(`# Something like ${address('u', noise(12))}\n`)).toBe(0);
    expect(await count(`url: ${address('sally', 'sallypass')}\n`)).toBe(0);
    expect(await count(`# Something like that\nurl: ${address('u', noise(12))}\n`)).toBe(1);
    expect(await count(`url: ${address('sally', `sally${noise(9)}`)}\n`)).toBe(1);
  });

  it('cannot be switched off by a comment in the text', async () => {
    const [, , secret] = leaks[2] ?? ['', '', ''];
    expect(await findSecretRanges(`// secretlint-disable\nx = "${secret}"\n`, signal)).toHaveLength(1);
  });

  it('finds a secret anywhere in a long text, also across windows', async () => {
    const secret = join('gl', 'pat-', noise(20));
    const filler = 'const a = 1;\n';
    for (const at of [128 * 1024 - 10, 104 * 1024 - 5, 300_000]) {
      const text = `${filler.repeat(Math.ceil(at / filler.length)).slice(0, at)} ${secret} ${filler.repeat(9000)}`;
      const ranges = await findSecretRanges(text, signal);
      expect(ranges.map(({ start, end }) => [start, end])).toEqual([[at + 1, at + 1 + secret.length]]);
    }
  });

  it('leaves no marks on the process-wide performance timeline', async () => {
    await findSecretRanges('a = 1', signal);
    const before = performance.getEntriesByType('mark').length;
    for (let turn = 0; turn < 5; turn += 1) await findSecretRanges('a = 1', signal);
    expect(performance.getEntriesByType('mark').length).toBe(before);
  });

  it('stops when it is aborted', async () => {
    await expect(findSecretRanges('a = 1', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });
});

describe('redactSecrets', () => {
  it.each(['\n', '\r\n'])('keeps every line break (%j) of a key', async (ending) => {
    const text = `a${ending}${pem(ending)}b${ending}`;
    const redacted = await redactSecrets(text, signal);
    expect(redacted.split(ending)).toHaveLength(text.split(ending).length);
    expect(redacted).not.toContain(base64Line);
    expect(redacted.startsWith(`a${ending}[redacted]${ending}`)).toBe(true);
  });

  it('hides a key that lost its end', async () => {
    const text = pem('\n').split('\n').slice(0, 3).join('\n');
    expect(await redactSecrets(text, signal)).not.toContain(base64Line);
  });

  it('hides a key inside one string', async () => {
    expect(await redactSecrets(`key = "${pem('\\n')}"`, signal)).not.toContain(base64Line);
  });

  it('returns a text without secrets unchanged', async () => {
    const text = 'const a = 1;\r\n// nothing\r\n';
    expect(await redactSecrets(text, signal)).toBe(text);
  });
});

describe('scanFileForSecrets', () => {
  const token = join('gl', 'pat-', noise(20));

  it('names place and rule, and never the secret', async () => {
    const { hits } = await scanFileForSecrets({ path: 'src/é.ts', text: `a\r\nb = '${token}';\r\n` }, signal);
    expect(hits.map(({ rule, ...place }) => ({ ...place, rule: rule.id }))).toEqual([
      {
        path: 'src/é.ts',
        startLine: 2,
        endLine: 2,
        evidence: "b = '[redacted]';",
        suggestion: null,
        rule: 'secret-gitlab',
      },
    ]);
    expect(JSON.stringify(hits)).not.toContain(token);
  });

  it('spans all lines of a key and quotes three at most', async () => {
    const [hit] = (await scanFileForSecrets({ path: 'key', text: `x\n${pem('\n')}` }, signal)).hits;
    expect([hit?.startLine, hit?.endLine, hit?.evidence.split('\n').length]).toEqual([2, 5, 3]);
  });

  it('lets tests keep sample passwords, but no real token', async () => {
    const text = `password = "${noise(12)}"\ntoken = "${token}"\n`;
    const { hits } = await scanFileForSecrets({ path: 'test/login.test.ts', text }, signal);
    expect(hits.map(({ rule }) => rule.id)).toEqual(['secret-gitlab']);
  });

  it.each([
    ['docker-compose.yml', `  API_TOKEN: "${noise(40)}"`, 1],
    ['docker/docker-compose.dev.yml', `  API_TOKEN: "${noise(40)}"`, 0],
    ['docker/docker-compose.ci.postgres.yml', `  API_TOKEN: "${noise(40)}"`, 0],
    ['.env.local', `API_TOKEN=${noise(40)}`, 1],
    ['app/SetupDummyAccount.php', `'password' => '${noise(16)}',`, 0],
    ['.github/workflows/build.yml', `    mysql root password: '${noise(16)}'`, 0],
    ['.github/workflows/build.yml', `    upload password: '${noise(16)}'`, 1],
    ['src/a.py', `    #: "token":"${noise(28)}","formats":{}`, 0],
    ['src/a.py', `    # token = "${noise(28)}"`, 1],
    ['src/a.py', `SHA256_PASSWORD = "${noise(28)}"`, 0],
    ['src/a.py', `HASHED_PASSWORD = b"${noise(28)}"`, 0],
    ['src/a.ts', `const md5Password: string = '${noise(28)}';`, 0],
    ['src/a.php', `$users['md5_password'] = '${noise(28)}';`, 0],
    ['src/a.yml', `md5_password: ${noise(28)}`, 0],
    ['src/a.py', `MAIL_PASSWORD = "${noise(28)}"  # md5password:`, 1],
    ['src/a.py', `MD5_PASSWORD = ""; MAIL_PASSWORD = "${noise(28)}"`, 1],
    ['src/a.py', `MAIL_PASSWORD = "${noise(28)}"  # md5password = "`, 1],
    ['api.http', `X-JWT: ${jwt('{"aud":"shop","exp":1616794653}')}`, 0],
    ['api.http.ts', `X-JWT: ${jwt('{"aud":"shop","exp":1616794653}')}`, 1],
    ['api.rest', `password = "${noise(12)}"`, 1],
    ['src/page.ts', `const key = '${jwt('{"iss":"supabase","role":"anon"}')}';`, 0],
    ['src/page.ts', `const key = '${jwt('{"iss":"supabase","role":"service"}')}';`, 1],
    ['openam-documentation/src/guide.xml', `"access_token": "${noise(28)}"`, 0],
    ['docs/openapi.json', `"access_token": "${noise(28)}"`, 0],
    ['docs/conf.py', `access_token = "${noise(28)}"`, 1],
    ['shop-samples/src/Client.java', `token = "${noise(28)}"`, 0],
    ['web/embed-sample.html', `data-token="${noise(28)}"`, 0],
    ['web/embed.html', `data-token="${noise(28)}"`, 1],
    ['src/a.py', `"reset_password": "1/m/ip,1/m/key",`, 0],
    ['src/a.ts', `token = "${Buffer.from('{"u":"https://localhost:5001","a":"Kq7"}').toString('base64')}"`, 0],
    ['src/a.ts', `token = "${Buffer.from('{"u":"https://shop.io:5001","a":"Kq7"}').toString('base64')}"`, 1],
    ['src/a.ts', `apiKey: "phc_${noise(40)}"`, 0],
    ['docs/api.md', `Authorization: Token ${hex(40)}`, 0],
    ['src/api.sh', `Authorization: Token ${hex(40)}`, 1],
    ['src/Hook.php', `  /* What the server sends:\n    "token": "${noise(28)}",\n  */\n`, 0],
    ['src/Hook.php', `  /* What the server sends */\n    "token" => "${noise(28)}",\n`, 1],
    ['src/Hook.php', `  /* Old:\n    $token = "${noise(28)}";\n  */\n`, 1],
    ['src/a.go', `token := "${join('xox', 'b-', 'my-bot-token')}"`, 0],
    ['src/a.go', `url := "${join('https://hooks.sla', 'ck.com/services/')}T00000000/B00000000/${'X'.repeat(24)}"`, 0],
    ['src/a.sh', `export API_KEY="op://${noise(20)}/credential"`, 0],
    ['t/cakey.pem', pem('\n'), 0],
    ['internal/mock_store.go', `password := "${noise(12)}"`, 0],
    ['integration-tests/login.py', `password = "${noise(12)}"`, 0],
    ['src/lib.rs', `#[cfg(test)]\nmod tests {\n    fn f() {\n        let password = "${noise(12)}";\n    }\n}\n`, 0],
    ['src/lib.rs', `#[tokio::test]\nasync fn f() {\n    let password = "${noise(12)}";\n}\n`, 0],
    ['src/lib.rs', `#[cfg(test)]\n#[path = "a.rs"]\nmod tests;\nconst PASSWORD: &str = "${noise(12)}";\n`, 1],
    ['src/lib.rs', `#[cfg(test)]\nmod tests {\n    fn f() {}\n}\nconst PASSWORD: &str = "${noise(12)}";\n`, 1],
    ['src/lib.rs', `#[cfg(test)]\nconst NAME: &str =\n    "a";\nfn f() {\n    let password = "${noise(12)}";\n}\n`, 1],
    ['src/lib.rs', `#[cfg(test)]\nuse crate::{\n    a,\n};\nconst PASSWORD: &str = "${noise(12)}";\n`, 1],
    ['src/lib.rs', `#[cfg(all(not(test), unix))]\nmod a {\n    const PASSWORD: &str = "${noise(12)}";\n}\n`, 1],
    ['src/lib.rs', `#[cfg(not(test))]\nmod a {\n    const PASSWORD: &str = "${noise(12)}";\n}\n`, 1],
    ['src/lib.rs', `#[test]\nfn f() {\n    let token = "${token}";\n}\n`, 1],
  ])('reads %s: %s', async (path, text, count) => {
    expect((await scanFileForSecrets({ path, text }, signal)).hits).toHaveLength(count);
  });

  it.each([
    ['config/development.json', `"password": "${noise(16)}"`, 'P2', false],
    ['.env.development', `API_TOKEN=${noise(40)}`, 'P2', false],
    ['config/production.json', `"password": "${noise(16)}"`, 'P1', true],
    ['src/dev.py', `password = "${noise(16)}"`, 'P1', true],
    ['docker/dev/tls/server.key', pem('\n'), 'P2', false],
    ['dev-ops/keys/production.key', pem('\n'), 'P0', true],
    ['docker/demo-server.key', pem('\n'), 'P2', false],
    ['dev/rstuf/keys/online/root1', pem('\n'), 'P2', false],
    ['docker/device.key', pem('\n'), 'P0', true],
    ['demo-of-us/deploy/prod/tls/server.key', pem('\n'), 'P0', true],
  ])('grades what %s has', async (path, text, severity, blocking) => {
    const { hits } = await scanFileForSecrets({ path, text }, signal);
    expect(hits.map(({ rule }) => [rule.severity, rule.blocking])).toEqual([[severity, blocking]]);
  });
});
