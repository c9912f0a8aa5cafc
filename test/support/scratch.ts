/** One temporary folder for everything that a test run writes; it is removed at the end. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readShard } from './deep.ts';

let folder = '';

export const setup = (): void => {
  // A wrong shard setting must fail the run at once, even when no sharded file runs.
  readShard(process.env);
  folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-tests-'));
  // The cage's account must reach the checkouts in this folder.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
};

export const teardown = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
