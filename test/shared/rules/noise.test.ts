/** Code of public repositories on which the rules fired although nobody would act on it, and code on which they were silent. */
import { describe, expect, it } from 'vitest';
import { reviewFiles } from './review-files.ts';

const signal = new AbortController().signal;

/** Built while the test runs, so that no scanner finds it here. */
const join = (...parts: readonly string[]): string => parts.join('');
const BASE64 = 'q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt';
const PEM = [join('-----BEGIN ', 'PRIVATE KEY-----'), BASE64, BASE64, join('-----END ', 'PRIVATE KEY-----'), ''].join(
  '\n',
);
const RANDOM = 'q7Zt9mWx2LkP4vBn8RsD3yHc6';

const rulesOf = async (path: string, text: string): Promise<readonly string[]> => {
  const changedLines = new Set(text.split('\n').map((_, index) => index + 1));
  const { findings } = await reviewFiles([{ path, text, changedLines }], signal);
  return [...new Set(findings.map(({ rule }) => rule))].toSorted();
};

/** A pattern that takes quadratic time, applied to a parameter. */
const TRIMS = "export const trim = (text) => text.replace(/\\s+$/, '');\n";

type Row = readonly [id: string, what: string, path: string, text: string];

const NOISE: readonly Row[] = [
  ['F-G1', 'a label of a translation', 'src/locales/es.json', '{ "password": "Contraseña1x" }\n'],
  ['F-G1', 'a label in another folder of translations', 'lang/sv-SE.json', '{ "label.password": "L0senord-nytt" }\n'],
  ['F-G2', 'a key that only searches', 'docs/search.js', `docsearch({ indexName: 'a', apiKey: '${RANDOM}' });\n`],
  ['F-G2', 'a key that every browser gets', 'web.env', `VITE_API_KEY=${RANDOM}\n`],
  ['F-G3', 'settings for tests only', '.env.test', `APP_SECRET=${RANDOM}\n`],
  ['F-G3', 'settings that are a sample', 'config/app.env.example', 'APP_SECRET=your-secret-here-1234\n'],
  ['F-G4', 'a key of a test', 'src/test/resources/key.pem', PEM],
  [
    'F-G5',
    'the name of a table',
    'a.go',
    'package a\n\nfunc f() {\n\tdb.Exec(fmt.Sprintf("DELETE FROM %s", m.TableName()))\n}\n',
  ],
  ['F-G5', 'names of columns', 'a.py', 'cursor.execute(f"SELECT {columns} FROM {table} ORDER BY {order_by}")\n'],
  ['F-G6', 'quoted values', 'a.rb', 'out = `ls #{shell_quote(path)}`\n'],
  [
    'F-G7',
    'a template with constants only',
    'a.js',
    "const NAME = 'x';\nconst to = `gs://a/${NAME}`;\nexec(`gsutil ls ${to}`);\n",
  ],
  ['F-G8', 'a process id', 'a.rb', 'system("kill -9 #{pid}")\npid = 5\n`kill #{child.pid}`\n'],
  [
    'F-G9',
    'verification by a setting',
    'a.rb',
    'mode = verify_peer? ? OpenSSL::SSL::VERIFY_PEER : OpenSSL::SSL::VERIFY_NONE\n',
  ],
  ['F-G10', 'a constant marked as safe', 'a.rb', 'SIGN = "<b>"\n"#{SIGN}x</b>".html_safe\n"<br>".html_safe\n'],
  ['F-G11', 'a rescue with a value', 'a.rb', 'def f\n  run\nrescue\n  nil\nend\n'],
  ['F-G12', 'a file that may be gone', 'a.js', 'try { fs.unlinkSync(path); } catch {}\n'],
  [
    'F-G13',
    'an address of known parts',
    'a.go',
    'package a\n\nfunc f() {\n\tu, _ := url.Parse(fmt.Sprintf("https://%s", host))\n\tuse(u)\n}\n',
  ],
  [
    'F-G14',
    'a hash for a cache',
    'a.py',
    'etag = hashlib.md5(body).hexdigest()\navatar = hashlib.md5(email).hexdigest()\n',
  ],
  [
    'F-G15',
    'minified code below a licence',
    'js/jquery.js',
    `/*! A library\n * under a licence\n */\n!function(){${'a(b);eval(c);'.repeat(200)}}();\n`,
  ],
  ['F-G16', 'what a build wrote', 'dist/index.js', 'eval(input);\ntry { run(); } catch (e) {}\n'],
  [
    'F-G17',
    'data of a test',
    'tests/data/app.js',
    'exec("rm " + path);\ndb.query("SELECT * FROM a WHERE b = " + c);\n',
  ],
];

const SQL = `db.query("SELECT * FROM users WHERE name = '" + name + "'");\n`;
const STATEMENT = '$db->query("DELETE FROM users WHERE name = \'$name\'");\n';
const INSTALLER = `<?php\nfunction f($db, $name) {\n  ${STATEMENT}}\n`;
const POSTED = `<?php\n$name = $_POST['name'];\n${STATEMENT}`;
const MARKUP = 'box.innerHTML = `<b>${title}</b>`;\n';
const SHELL_LINE = 'execSync(`git clone ${url}`);\n';
const INSECURE = 'connect({ rejectUnauthorized: false });\n';
const TWELVE_LINES = 'a();\n'.repeat(12);

/** Paths and surroundings at which a reader dismissed a finding that blocks, and the same code elsewhere. */
const AROUND: readonly (readonly [what: string, path: string, text: string, rules: readonly string[]])[] = [
  ['a migration', 'db/migrate/users.js', SQL, []],
  ['a file that is named as a migration', 'src/UserMigration.js', SQL, []],
  ['other code of the database', 'db/users.js', SQL, ['js-sql-concat']],
  ['a page about the program', 'docs/components/search.js', MARKUP, []],
  ['a page of the program', 'src/components/search.js', MARKUP, ['js-inner-html']],
  ['a copy of a library', 'public/third-party/box.js', MARKUP, []],
  ['a library by its name', 'public/js/jquery.box.js', MARKUP, []],
  ['a library that is not named', 'public/js/box.js', MARKUP, ['js-inner-html']],
  ['a plug-in of a library', 'public/js/bootstrap-box.js', MARKUP, []],
  ['a library with a common name and a version', 'src/react-18.2.0.js', MARKUP, []],
  ['a library with a date', 'client/json2-2001-02-23.js', MARKUP, []],
  ['a common name among the libraries of pages', 'public/lib/vue.global.js', MARKUP, []],
  ['a common name among assets', 'assets/js/clipboard.js', MARKUP, []],
  ['an own file with such a name', 'server/respond.js', SHELL_LINE, ['js-shell-by-string']],
  ['an own file with such a name in lib', 'lib/less.js', SHELL_LINE, ['js-shell-by-string']],
  ['an own file that uses a library', 'src/react-ssr.js', MARKUP, ['js-inner-html']],
  ['an own file beside the libraries of pages', 'assets/js/vue-basket.js', MARKUP, ['js-inner-html']],
  ['an own file for a library', 'src/select2-users.js', MARKUP, ['js-inner-html']],
  ['an own file with the name of a folder', 'lib/chart/index.js', MARKUP, ['js-inner-html']],
  ['an installer', 'install/tables.php', INSTALLER, []],
  ['an installer with data of a request', 'install/tables.php', POSTED, ['php-sql-concat']],
  ['a migration with data of a request', 'migrations/tables.php', POSTED, []],
  ['a program for a terminal', 'src/cli/clone.js', SHELL_LINE, []],
  ['a script of a build', 'build.config.js', SHELL_LINE, []],
  ['a service', 'src/deployment.js', SHELL_LINE, ['js-shell-by-string']],
  ['a health check', 'extra/healthcheck.js', INSECURE, []],
  ['an own server', 'src/a.js', `${INSECURE}use('127.0.0.1');\n`, []],
  ['an own server far away', 'src/a.js', `use('127.0.0.1');\n${TWELVE_LINES}${INSECURE}`, ['js-tls-not-verified']],
  ['a setting', 'src/a.js', `if (options.skipVerify) {\n  ${INSECURE}}\n`, []],
  ['a condition on something else', 'src/a.js', `if (options.retry) {\n  ${INSECURE}}\n`, ['js-tls-not-verified']],
  ['a condition on an error', 'src/a.js', `if (error.verify) {\n  ${INSECURE}}\n`, ['js-tls-not-verified']],
  ['a function named so', 'src/a.js', `function connectInsecure() {\n  ${INSECURE}}\n`, []],
  ['a reason', 'src/a.js', `// The certificate is self-signed.\n${INSECURE}`, []],
  ['a comment without a reason', 'src/a.js', `// Connects.\n${INSECURE}`, ['js-tls-not-verified']],
  [
    'a comment that TLS is used',
    'src/a.js',
    `// The TLS connection to the bank.\n${INSECURE}`,
    ['js-tls-not-verified'],
  ],
  ['a comment for another tool', 'src/a.js', `// eslint-disable-next-line tls\n${INSECURE}`, ['js-tls-not-verified']],
];

const TRUSTING = 'fn open() {\n    let mut builder = Client::builder();\n';
const ALL_ACCEPTED = '    builder = builder.danger_accept_invalid_certs(true);\n}\n';

/** The line above decides whether Rust compiles the statement for anything but tests. */
const COMPILED_FOR: readonly (readonly [above: string, isSilent: boolean])[] = [
  ['#[cfg(test)]', true],
  ['#[cfg(all(test, unix))] // only here', true],
  ['#[cfg(feature = "test-utils")]', true],
  ['#[cfg(feature = "testing")]', true],
  ['#[cfg(any(test, feature = "prod"))]', false],
  ['#[cfg(any(test, not(test)))]', false],
  ['#[cfg(not(test))]', false],
  ['#[cfg(testnet)]', false],
  ['#[cfg(feature = "testnet")]', false],
  ['#[cfg(test)] let accepted = true;', false],
];

const EXPLAINED: readonly (readonly [what: string, text: string, rules: readonly string[]])[] = [
  ['a reason', 'try { save(order); } catch {} // the cache is only a hint\n', []],
  ['a reason above', '// the cache is only a hint\ntry { save(order); } catch {}\n', []],
  [
    'a comment for another tool',
    '// eslint-disable-next-line no-empty\ntry { save(order); } catch {}\n',
    ['js-empty-catch'],
  ],
  ['a comment for the engine', '// ast-grep-ignore\ntry { save(order); } catch {}\n', ['js-empty-catch']],
  ['a product above', 'let a = 2\n  *b;\ntry { save(order); } catch {}\n', ['js-empty-catch']],
];

const CONFLICT = ['<<<<<<< HEAD', 'a', '=======', 'b', '>>>>>>> topic', ''].join('\n');

const FOUND: readonly (readonly [...Row, rules: readonly string[]])[] = [
  ['F-G18', 'new Function under its own name', 'a.js', 'const f = new Function(source);\n', ['js-new-function']],
  ['F-G21', 'an id of a key alone', 'notes.txt', `${join('AK', 'IA')}IOSFODNN7RXAMPLW\n`, ['secret-aws-key-id']],
  ['F-G22', 'conflict markers in prose', 'notes.txt', CONFLICT, ['text-merge-conflict']],
];

describe('a pattern of quadratic time', () => {
  it.each([
    ['lib/trim.js', ['js-quadratic-pattern']],
    ['server/components.ts', ['js-quadratic-pattern']],
    ['src/components/field.ts', []],
    ['htdocs/js/page.js', []],
    ['src/field.tsx', []],
    ['scripts/release.mjs', []],
    ['vite.config.ts', []],
    ['test/trim.js', []],
    ['locales/extract.js', []],
    ['res/app/keys.js', []],
    ['docs/site.js', []],
  ])('in %s', async (path, rules) => {
    expect(await rulesOf(path, TRIMS)).toEqual(rules);
  });

  it('that is exponential too is reported once', async () => {
    const text =
      "export const isWord = (text) => /^(\\w+\\s?)*$/.test(text);\nexport const rest = (text) => text.replace(/\\s+$/, '');\n";
    expect(await rulesOf('lib/word.js', text.split('\n')[0] ?? '')).toEqual(['js-slow-pattern']);
    expect(await rulesOf('lib/word.js', text)).toEqual(['js-quadratic-pattern', 'js-slow-pattern']);
  });
});

describe('nobody acts on', () => {
  it.each(NOISE)('%s: %s', async (_id, _what, path, text) => {
    expect(await rulesOf(path, text)).toEqual([]);
  });
});

describe('a finding that blocks in', () => {
  it.each(AROUND)('%s', async (_what, path, text, rules) => {
    expect(await rulesOf(path, text)).toEqual(rules);
  });
});

describe('a client that accepts all certificates', () => {
  it.each(COMPILED_FOR)('below %s is silent: %s', async (above, isSilent) => {
    const rules = await rulesOf('src/client.rs', `${TRUSTING}    ${above}\n${ALL_ACCEPTED}`);
    expect(rules).toEqual(isSilent ? [] : ['rs-tls-not-verified']);
  });

  it('of another language than Rust is found below a comment that looks like an attribute', async () => {
    const python = '#[cfg(test)]\nrequests.get(url, verify=False)\n';
    expect(await rulesOf('src/client.py', python)).toEqual(['py-tls-not-verified']);
  });
});

describe('an empty handler beside', () => {
  it.each(EXPLAINED)('%s', async (_what, text, rules) => {
    expect(await rulesOf('a.js', text)).toEqual(rules);
  });
});

describe('a rule finds', () => {
  it.each(FOUND)('%s: %s', async (_id, _what, path, text, rules) => {
    expect(await rulesOf(path, text)).toEqual(rules);
  });
});

describe('the same code outside of that place', () => {
  it.each<readonly [...Row, rules: readonly string[]]>([
    ['F-G1', 'a password', 'src/app.json', `{ "password": "${RANDOM}" }\n`, ['secret-credential']],
    ['F-G3', 'a random value of a sample', '.env.example', `APP_SECRET=${RANDOM}\n`, ['secret-credential']],
    ['F-G3', 'settings', '.env', `APP_SECRET=${RANDOM}\n`, ['secret-credential']],
    ['F-G4', 'a key', 'config/key.pem', PEM, ['secret-private-key']],
    ['F-G5', 'a value', 'a.py', 'cursor.execute(f"SELECT a FROM b WHERE c = {d}")\n', ['py-sql-concat']],
    ['F-G7', 'a value', 'a.js', 'function f(to) {\n  exec(`gsutil ls ${to}`);\n}\n', ['js-shell-by-string']],
    ['F-G9', 'always off', 'a.rb', 'http.verify_mode = OpenSSL::SSL::VERIFY_NONE\n', ['rb-tls-not-verified']],
    ['F-G12', 'other code', 'a.js', 'try { save(order); } catch {}\n', ['js-empty-catch']],
    ['F-G14', 'a password', 'a.py', 'stored = hashlib.md5(password).hexdigest()\n', ['py-weak-hash']],
    ['F-G22', 'conflict markers of a library', 'vendor/a.txt', CONFLICT, ['text-merge-conflict']],
    ['F-G16', 'source', 'src/index.js', 'eval(input);\n', ['js-eval']],
  ])('%s: %s is found', async (_id, _what, path, text, rules) => {
    expect(await rulesOf(path, text)).toEqual(rules);
  });
});
