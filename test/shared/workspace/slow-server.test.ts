/** A git server that needs long to prepare what it sends, and sends a few bytes now and then while it does. */
import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { NO_PROXY_AT_ALL } from '../../../shared/vocabulary/proxy-setting.ts';
import { createGit } from '../../../shared/workspace/git/git.ts';
import { openMirrorOf } from '../../../shared/workspace/mirror/open-head.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from './repository.ts';

const REF = 'refs/pull/7/head';
const EVERY_MS = 250;
const FLUSH = Buffer.from('0000');

/** One packet line: https://git-scm.com/docs/gitprotocol-common#_pkt_line_format */
const line = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};

const onBand = (band: number, content: Buffer): Buffer => line(Buffer.concat([Buffer.from([band]), content]));

let folder = temporaryFolder();
let repository: Repository;
let head: CommitSha;
let server: Server;
/** Number of keepalives before the pack is sent. */
let keepalives = 0;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('latin1');
};

/** Empty packets on the band of the pack, as `git upload-pack` sends them while it counts objects, and then the pack. */
const sendPack = (response: ServerResponse): void => {
  let left = keepalives;
  response.write(line('packfile\n'));
  const timer = setInterval(() => {
    left -= 1;
    if (left >= 0) {
      response.write(onBand(1, Buffer.alloc(0)));
      return;
    }
    clearInterval(timer);
    const pack = execFileSync(GIT, ['--git-dir', repository.gitDir, 'pack-objects', '--revs', '--stdout', '--quiet'], {
      input: `${head}\n`,
    });
    response.end(Buffer.concat([onBand(1, pack), FLUSH]));
  }, EVERY_MS);
  response.once('close', () => clearInterval(timer));
};

/** The part of protocol version 2 that a fetch of one ref needs: https://git-scm.com/docs/protocol-v2 */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
    const lines = ['version 2\n', 'ls-refs\n', 'fetch\n', 'object-format=sha1\n'].map(line);
    response.end(Buffer.concat([line('# service=git-upload-pack\n'), FLUSH, ...lines, FLUSH]));
    return;
  }
  response.setHeader('content-type', 'application/x-git-upload-pack-result');
  if ((await textOf(request)).includes('command=fetch')) return sendPack(response);
  response.end(Buffer.concat([line(`${head} ${REF}\n`), line(`${head} refs/heads/main\n`), FLUSH]));
};

beforeEach(async () => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'served'));
  repository.write({ a: 'one\n' });
  head = repository.commit('base');
  server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  folder.dispose();
});

// A listening TCP server has an address.
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/project.git`;

describe('a server that sends only keepalives for a while', () => {
  it('is waited for: git measures no speed, so that only the time limit ends a fetch', async () => {
    keepalives = 14;
    const target = createRepository(join(folder.path, 'target'));
    const git = createGit({ gitPath: GIT, gitDir: target.gitDir, allowProtocols: ['http'] });
    const shortened = { timeoutMs: 20_000, env: { GIT_HTTP_LOW_SPEED_TIME: '1' } };
    await git.run(['fetch', '--quiet', '--', url(), `${REF}:refs/heads/fetched`], shortened, never());
    expect(target.git('rev-parse', 'refs/heads/fetched')).toBe(head);
  });

  it('ends a fetch at its time limit, with a message that names the setting', async () => {
    keepalives = 1000;
    const access = {
      dataFolder: join(folder.path, 'data'),
      gitPath: GIT,
      credential: null,
      allowProtocols: [],
      caFile: null,
      proxy: NO_PROXY_AT_ALL,
      renameLikeness: 50,
      fetchTimeoutMs: 1500,
    };
    const mirror = await openMirrorOf(
      access,
      { changeRequest: { forge: 'home', projectId: 42, number: 7 }, head },
      never(),
    );
    const source = { url: url(), headRef: REF };
    const fetched = mirror.fetchHead({ source, expectedHead: head, targetBranch: 'main', credential: null }, never());
    await expect(fetched).rejects.toMatchObject({
      code: 'GIT_TIMEOUT',
      message: 'the server was too slow: git fetch did not finish within 1.5 s (mirrors.fetch_timeout_s)',
      disposition: { kind: 'retry' },
      fields: { remote: true, command: 'fetch' },
    });
    await mirror.release();
  });
});
