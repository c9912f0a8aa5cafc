/** A cage for tests when this machine supports one; otherwise the reason, for the name of the skipped tests. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { type CageWish, findCage } from '../../shared/workspace/cage/find-cage.ts';

const MEGABYTE = 1024 * 1024;

/** An unused account, different for each test process, so that its processes can be told apart. */
export const CAGE_UID = 50_000 + (process.pid % 10_000);

export const cageWish = (dataFolder: string): CageWish => ({
  dataFolder,
  path: process.env['PATH'] ?? '',
  uid: CAGE_UID,
  limits: { processes: 64, memoryBytes: 1024 * MEGABYTE, scratchBytes: 32 * MEGABYTE },
  readOnlyPaths: [],
});

export const openFolder = (mode = 0o755): { readonly path: string; readonly dispose: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'fixpoint-cage-'));
  chmodSync(path, mode);
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
};

export type TestCage = {
  readonly folder: string;
  readonly workspace: string;
  readonly dispose: () => void;
} & ({ readonly cage: Cage; readonly why: '' } | { readonly cage: null; readonly why: string });

/** True when plain bubblewrap can create namespaces for this account, so that a cage should be possible. */
const couldBeCaged = (path: string): boolean => {
  const plain = ['--unshare-all', '--unshare-user', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '/usr/bin/true'];
  return (
    process.platform === 'linux' && spawnSync('bwrap', plain, { env: { PATH: path }, timeout: 20_000 }).status === 0
  );
};

/**
 * Throws when bubblewrap works but our cage does not: a broken cage must not count as skipped. With
 * `FIXPOINT_TESTS_NEED_CAGE=1` it also throws when bubblewrap does not work. `look` and `could` are replaced in tests.
 */
export const findTestCage = async (
  env: NodeJS.ProcessEnv = process.env,
  look = findCage,
  could = couldBeCaged,
): Promise<TestCage> => {
  const { path: folder, dispose } = openFolder();
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  chmodSync(workspace, 0o755);
  const wish = { ...cageWish(folder), path: env['PATH'] ?? '' };
  const found = await look(wish, new AbortController().signal);
  if (found.kind === 'caged') return { folder, workspace, dispose, cage: found.cage, why: '' };
  const reasons = found.reasons.join('; ');
  const isNeeded = env['FIXPOINT_TESTS_NEED_CAGE'] === '1';
  if (!isNeeded && !could(wish.path)) {
    return { folder, workspace, dispose, cage: null, why: ` (skipped: ${reasons})` };
  }
  dispose();
  const because = isNeeded ? 'FIXPOINT_TESTS_NEED_CAGE=1 asks for one' : 'bubblewrap works on this machine';
  throw new Error(`there is no cage, and ${because}: ${reasons}`);
};

/** Ids of processes whose command line contains the token, which is unique to one test. */
export const processesWith = (token: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((id) => commandLineOf(id).includes(token))
    .map(Number);

const commandLineOf = (id: string): string => {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
