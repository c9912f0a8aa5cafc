/** Everything that the tests of one run leave on the disk lies in one folder, which is gone afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readShard } from './deep.ts';

let folder = '';

export const setup = (): void => {
  // A mistake in it must end the run at once, also where no file with shares is run.
  readShard(process.env);
  folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-tests-'));
  // The account of the cage must get at the checkouts below it.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
};

export const teardown = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
