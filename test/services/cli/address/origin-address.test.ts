import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRemote, readOrigin } from '../../../../services/cli/address/origin-address.ts';

describe('the remote of a clone', () => {
  test.each([
    ['https://forge.example.com/owner/repo.git', 'https://forge.example.com', 'owner/repo'],
    ['https://user:word@forge.example.com:8443/owner/repo', 'https://forge.example.com:8443', 'owner/repo'],
    ['http://127.0.0.1:3000/git/owner/repo.git/', 'http://127.0.0.1:3000', 'git/owner/repo'],
    ['ssh://git@forge.example.com:2222/group/sub/project.git', 'https://forge.example.com', 'group/sub/project'],
    ['git@forge.example.com:group/sub/project.git', 'https://forge.example.com', 'group/sub/project'],
    ['forge.example.com:owner/repo', 'https://forge.example.com', 'owner/repo'],
  ])('%s leads to the pages of the forge', (url, origin, expected) => {
    expect(parseRemote(url)).toEqual({ origin, path: expected.split('/') });
  });

  test.each(['/srv/git/repo.git', '../repo', 'file:///srv/git/repo.git', ''])('%s leads to no forge', (url) => {
    expect(parseRemote(url)).toBeNull();
  });
});

describe('the origin of a folder', () => {
  let folder = '';
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: path.join(folder, 'clone') });
  const searchPath = process.env['PATH'] ?? '';
  const read = async (directory: string) => readOrigin({ directory, searchPath }, AbortSignal.timeout(10_000));

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-origin-'));
    mkdirSync(path.join(folder, 'clone', 'inside'), { recursive: true });
    git('init', '-q');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is found from below, and only where there is one', async () => {
    expect(await read(folder)).toBeNull();
    expect(await read(path.join(folder, 'clone'))).toBeNull();
    git('remote', 'add', 'origin', 'git@forge.example.com:owner/repo.git');
    expect(await read(path.join(folder, 'clone', 'inside'))).toEqual({
      origin: 'https://forge.example.com',
      path: ['owner', 'repo'],
    });
  });
});
