/** Cages of other processes: of another account, with open files, and of one that dies. */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { whereItEnds } from '../../../shared/workspace/cage/cage-programs.ts';
import { findTestCage, processesWith } from '../../support/cage.ts';
import { findLeaks } from '../../support/leaks.ts';

const CHILD = fileURLToPath(new URL('../../support/cage-child.ts', import.meta.url));
const CANARY = `canary-${randomUUID()}`;
const OTHER_UID = 49_999;

const { cage, folder, dispose, why } = await findTestCage();
afterAll(dispose);

const ends = process.getuid?.() === 0 ? await whereItEnds(dirname(CHILD)) : 'the account is no other one';
const whyNotOther = process.getuid?.() === 0 ? ` (skipped: closed to others: ${ends})` : ' (skipped: not run as root)';

/** A folder of its own for each child. */
const place = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, 0o777);
  return path;
};

type Start = { readonly wrapper?: readonly string[]; readonly inherited?: number };

/** Beyond those that Node closes for its programs by itself. */
const INHERITED_FD = 60;

const start = (args: readonly string[], { wrapper = [], inherited }: Start = {}): ChildProcess => {
  const [file = '', ...rest] = [...wrapper, process.execPath, '--import', 'tsx', CHILD, ...args];
  const stdio: Exclude<StdioOptions, string> = ['ignore', 'pipe', 'inherit'];
  if (inherited !== undefined) stdio[INHERITED_FD] = inherited;
  return spawn(file, rest, {
    stdio: Array.from(stdio, (one) => one ?? 'ignore'),
    env: { PATH: process.env['PATH'], HOME: folder, SECRET_OF_THE_SERVICE: CANARY },
  });
};

const outputOf = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('it has an output');
  return text(child.stdout);
};

describe.skipIf(cage === null)(`a cage of another process${why}`, () => {
  it.skipIf(ends !== null)(
    `T11: holds under an account that is not root's${ends === null ? '' : whyNotOther}`,
    async () => {
      const id = String(OTHER_UID);
      const wrapper = ['/usr/bin/setpriv', '--reuid', id, '--regid', id, '--clear-groups'];
      const told = await outputOf(start(['check', place('other')], { wrapper }));
      expect(JSON.parse(told)).toEqual({ uid: OTHER_UID, kind: 'caged' });
    },
  );

  it('T1: has none of the variables that its service was started with, wherever they are looked for', async () => {
    const script =
      'print %ENV, "\\n"; for my $file (</proc/*/environ>, "/proc/1/environ", "/proc/self/environ") { open(my $in, "<", $file) and print <$in> } print `env`';
    const told = await outputOf(start(['print', place('variables'), script]));
    expect(told).toContain('PATH=/usr/bin:/bin');
    expect(findLeaks([{ where: 'output', text: told }], [CANARY])).toEqual([]);
  });

  it('holds none of the files that its service was started with', async () => {
    const file = join(folder, 'inherited');
    writeFileSync(file, 'of the service');
    const script =
      'for my $fd (3 .. 64) { if (open(my $in, "<&=", $fd)) { print "$fd:", (-c $in ? "null" : join("", <$in>)), " " } }';
    const told = await outputOf(start(['print', place('files'), script], { inherited: openSync(file, 'r') }));
    expect(told).toBe(`${INHERITED_FD}:null `);
  });

  it('dies with a service that is killed', async () => {
    const token = randomUUID();
    const child = start(['hold', place('killed'), token]);
    if (child.stdout === null) throw new Error('it has an output');
    await once(child.stdout, 'data');
    expect(processesWith(token).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await expect.poll(() => processesWith(token), { timeout: 10_000 }).toEqual([]);
  });
});
