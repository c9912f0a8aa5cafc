import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '../../../../shared/workspace/process/file-lock.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import { never, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'lock');
});
afterEach(() => folder.dispose());

const PATIENT = { waitMs: 20_000, staleMs: 60_000 };
const IMPATIENT = { waitMs: 200, staleMs: 60_000 };

const gone = async (): Promise<string> => 'done';

describe('withFileLock', () => {
  it('lets one in at a time, and everyone in the end', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await breathe();
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, PATIENT, work, never())));
    expect([most, inside]).toEqual([1, 0]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('gives the lock back when the work fails', async () => {
    const failing = async (): Promise<never> => {
      throw new Error('broken');
    };
    await expect(withFileLock(path, PATIENT, failing, never())).rejects.toThrow('broken');
    expect(existsSync(path)).toBe(false);
  });

  it('gives up after the waiting time', async () => {
    writeFileSync(path, `${hostname()} ${process.pid} other`);
    await expect(withFileLock(path, IMPATIENT, gone, never())).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(existsSync(path)).toBe(true);
  });

  it('stops waiting when it is aborted', async () => {
    writeFileSync(path, `${hostname()} ${process.pid} other`);
    const waiting = withFileLock(path, PATIENT, gone, AbortSignal.timeout(100));
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('takes over from a process that died', async () => {
    const pid = execFileSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
    writeFileSync(path, `${hostname()} ${pid} other`);
    expect(await withFileLock(path, IMPATIENT, gone, never())).toBe('done');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('takes over a lock of another machine that nobody refreshes while it waits', async () => {
    writeFileSync(path, 'elsewhere 1 other');
    await expect(withFileLock(path, IMPATIENT, gone, never())).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(await withFileLock(path, { waitMs: 20_000, staleMs: 150 }, gone, never())).toBe('done');
  });

  it.each([-3_600, 3_600])('F-E7: is not misled by a lock that a clock %i s apart has stamped', async (seconds) => {
    writeFileSync(path, 'elsewhere 1 other');
    const stamp = (): void => utimesSync(path, Date.now() / 1000 + seconds, Date.now() / 1000 + seconds);
    stamp();
    const refresh = setInterval(stamp, 30);
    await expect(withFileLock(path, { waitMs: 700, staleMs: 300 }, gone, never())).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
    clearInterval(refresh);
    expect(await withFileLock(path, { waitMs: 20_000, staleMs: 150 }, gone, never())).toBe('done');
  });

  it('refreshes a lock while it is held, so that long work keeps it', async () => {
    const short = { waitMs: 1_600, staleMs: 1_200 };
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const work = (): Promise<void> => {
      begin();
      return held;
    };
    const holder = withFileLock(path, short, work, never());
    await begun;
    writeFileSync(path, `elsewhere 1 same-lock-seen-from-another-machine`);
    await expect(withFileLock(path, short, gone, never())).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    release();
    await holder;
  });

  it("does not remove a lock that has become another's", async () => {
    await withFileLock(
      path,
      PATIENT,
      async () => {
        writeFileSync(path, 'elsewhere 1 other');
      },
      never(),
    );
    expect(existsSync(path)).toBe(true);
  });
});
