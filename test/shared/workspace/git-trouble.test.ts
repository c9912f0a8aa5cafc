/** What becomes of work that real git refuses to do: it waits, it ends at once, or it is an ordinary failure. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createPort, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { troubleOf } from '../../../shared/outage/outage.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createMirror } from '../../../shared/workspace/mirror/mirror.ts';
import { complaintIn } from '../../../shared/workspace/git/git-words.ts';
import { type GitHttpAnswer, type GitHttpServer, serveGit } from '../../support/git-http.ts';
import { createRepository, GIT, never, temporaryFolder } from './repository.ts';

let folder = temporaryFolder();
let server: GitHttpServer;
let answer: GitHttpAnswer;
let head: CommitSha;

beforeEach(async () => {
  folder = temporaryFolder();
  const repository = createRepository(join(folder.path, 'served', 'project'));
  repository.write({ a: 'one\n' });
  head = repository.commit('base');
  repository.git('update-ref', 'refs/pull/7/head', head);
  server = await serveGit({ root: join(folder.path, 'served'), authorise: () => answer });
});
afterEach(async () => {
  await server.close();
  folder.dispose();
});

/** What a fetch from there fails with, in the terms of work that waits or ends. */
const troubleAt = async (url: string, withToken = true): Promise<unknown> => {
  const settings = { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 42 };
  const credential = withToken ? { username: 'reader', password: ['not', 'right'].join('-') } : null;
  const source = { url: `${url}/project/.git`, headRef: 'refs/pull/7/head' };
  const wanted = { source, expectedHead: head, targetBranch: 'main', credential };
  const mirror = await createMirror({ ...settings, allowProtocols: [] }, never());
  const error: unknown = await mirror.fetchHead(wanted, never()).catch((caught: unknown) => caught);
  const trouble = troubleOf(error);
  return trouble?.kind === 'outage' ? ['outage', trouble.outage.code] : [trouble?.kind ?? 'neither', codeIn(error)];
};

const codeIn = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

describe('F-E5: a fetch by real git', () => {
  it.each<[string, GitHttpAnswer, boolean, readonly string[]]>([
    ['a token that is refused', { kind: 'challenge' }, true, ['mistake', 'GIT_UNAUTHORISED']],
    ['no token where one is wanted', { kind: 'challenge' }, false, ['mistake', 'GIT_UNAUTHORISED']],
    ['a right that is missing (403)', { kind: 'status', status: 403 }, true, ['mistake', 'GIT_UNAUTHORISED']],
    ['a proxy that wants a password (407)', { kind: 'status', status: 407 }, true, ['mistake', 'GIT_UNAUTHORISED']],
    ['a project that is gone', { kind: 'not_found' }, true, ['neither', 'GIT_REPOSITORY_MISSING']],
    ['another address', { kind: 'redirect', location: 'http://127.0.0.1:1/x' }, true, ['neither', 'GIT_REDIRECTED']],
    ['a limit on the rate', { kind: 'status', status: 429 }, true, ['outage', 'GIT_FAILED']],
    ['a failing server', { kind: 'status', status: 500 }, true, ['outage', 'GIT_FAILED']],
    ['a gateway without a server', { kind: 'status', status: 502 }, true, ['outage', 'GIT_FAILED']],
    ['a forge under maintenance', { kind: 'status', status: 503 }, true, ['outage', 'GIT_FAILED']],
  ])('that meets %s', async (_name, given, withToken, becomes) => {
    answer = given;
    expect(await troubleAt(server.url, withToken)).toEqual(becomes);
  });

  it('that reaches no server waits', async () => {
    const port = createPort().listen(0, '127.0.0.1');
    await new Promise((resolve) => port.once('listening', resolve));
    // A listening TCP server has one.
    const { port: number } = port.address() as AddressInfo;
    await new Promise((resolve) => port.close(resolve));
    expect(await troubleAt(`http://127.0.0.1:${number}`)).toEqual(['outage', 'GIT_FAILED']);
  });

  it('that meets a certificate of somebody unknown ends at once (needs openssl)', async ({ skip }) => {
    const files = { key: join(folder.path, 'key.pem'), cert: join(folder.path, 'cert.pem') };
    try {
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      const out = ['-keyout', files.key, '-out', files.cert];
      execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...out], { stdio: 'ignore' });
    } catch {
      skip('openssl is not installed');
    }
    const secure = createServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) });
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    try {
      // As above.
      const { port } = secure.address() as AddressInfo;
      expect(await troubleAt(`https://127.0.0.1:${port}`)).toEqual(['mistake', 'GIT_UNTRUSTED']);
    } finally {
      secure.close();
    }
  });
});

/** What git, curl, OpenSSL, GnuTLS and OpenSSH print, in lines as they were seen. */
const WORDS: readonly (readonly [words: string, complaint: ReturnType<typeof complaintIn>])[] = [
  ["fatal: Authentication failed for 'https://forge.example/a/b.git/'", 'refused'],
  ["remote: HTTP Basic: Access denied.\nfatal: Authentication failed for 'https://forge.example/a.git/'", 'refused'],
  ["fatal: could not read Username for 'https://forge.example': terminal prompts disabled", 'refused'],
  ["fatal: could not read Password for 'https://a@forge.example': No such device or address", 'refused'],
  ['error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403', 'refused'],
  ["fatal: unable to access 'https://f.example/': Received HTTP code 407 from proxy after CONNECT", 'refused'],
  ['git@forge.example: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'refused'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'refused'],
  ["fatal: unable to access 'https://f.example/': The requested URL returned error: 404", 'missing'],
  ["remote: Not found.\nfatal: repository 'https://forge.example/a/b.git/' not found", 'missing'],
  ["fatal: '/srv/a.git' does not appear to be a git repository", 'missing'],
  ["fatal: unable to access 'https://f.example/': The requested URL returned error: 301", 'moved'],
  ["fatal: unable to access 'https://f.example/': SSL certificate problem: self-signed certificate", 'untrusted'],
  ["fatal: unable to access 'https://f.example/': SSL certificate problem: certificate has expired", 'untrusted'],
  ['fatal: server certificate verification failed. CAfile: none CRLfile: none', 'untrusted'],
  [
    "fatal: unable to access 'https://f/': SSL: no alternative certificate subject name matches target host",
    'untrusted',
  ],
  ["fatal: unable to access 'https://f/': error setting certificate file: /etc/ca.pem", 'untrusted'],
  ['fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output', 'disk_full'],
  ["fatal: unable to create temporary file '/d/objects/pack/tmp': Disk quota exceeded", 'disk_full'],
  ['error: insufficient permission for adding an object to repository database objects', 'disk_refused'],
  ["fatal: Unable to create '/d/packed-refs.lock': Read-only file system", 'disk_refused'],
  ["error: cannot lock ref 'refs/x': Unable to create '/d/refs/x.lock': Permission denied", 'disk_refused'],
  ['fatal: could not open /d/x for writing: Permission denied', 'disk_refused'],
  ['remote: fatal: write error: No space left on device\nfatal: the remote end hung up unexpectedly', null],
  ["fatal: unable to access 'https://f.example/': Could not resolve host: f.example", null],
  ["fatal: unable to access 'https://f.example/': The requested URL returned error: 503", null],
  ["fatal: unable to access 'https://f.example/': Received HTTP code 502 from proxy after CONNECT", null],
  ["fatal: unable to access 'https://f.example/': Failed to connect to f.example port 443", null],
  ['error: RPC failed; curl 56 GnuTLS recv error (-110): The TLS connection was non-properly terminated', null],
  ["fatal: couldn't find remote ref refs/heads/401", null],
  ['fatal: bad object refs/pull/403/head', null],
];

describe('F-E5: what git says', () => {
  it.each(WORDS)('%j', (words, complaint) => {
    expect(complaintIn(words)).toBe(complaint);
  });
});
