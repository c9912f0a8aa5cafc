/** T12: what is no cage is not taken for one. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type CageWish, findCage, type FoundCage } from '../../../../shared/workspace/cage/find-cage.ts';
import { cageWish, findTestCage, openFolder } from '../../../support/cage.ts';

const { cage, dispose, why } = await findTestCage();
const { path: folder, dispose: disposeFolder } = openFolder();
afterAll(() => {
  dispose();
  disposeFolder();
});

const find = (wish: Partial<CageWish> = {}): Promise<FoundCage> =>
  findCage({ ...cageWish(folder), ...wish }, new AbortController().signal);

let stubs = 0;
/** A `PATH` whose `bwrap` is this script. */
const pathWith = (script: string): string => {
  const place = join(folder, `stub-${(stubs += 1)}`);
  mkdirSync(place);
  chmodSync(place, 0o755);
  writeFileSync(join(place, 'bwrap'), script);
  chmodSync(join(place, 'bwrap'), 0o755);
  return place;
};

const reasonsOf = (found: FoundCage): readonly string[] => (found.kind === 'none' ? found.reasons : ['it was taken']);

/** Reads the arguments that come by descriptor, changes the list `@a` of them, and hands on to the real one. */
const changed = (change: string): string => `#!/usr/bin/perl
open(my $in, "<&=", 3); local $/ = undef; my @a = split(/\\0/, <$in>);
sub drop { my ($name, $count) = @_; for my $at (reverse 0 .. $#a) { splice(@a, $at, $count + 1) if $a[$at] eq $name } }
sub swap { my ($from, $to) = @_; @a = map { $_ eq $from ? $to : $_ } @a }
${change};
exec("/usr/bin/bwrap", @a, "--", @ARGV[3 .. $#ARGV]);
`;

/** Arguments that come after all others of their kind. */
const last = (args: string): string =>
  `my ($end) = grep { $a[$_] eq "--remount-ro" } 0 .. $#a; splice(@a, $end, 0, ${args})`;

/** Runs the program without any cage, and says what bubblewrap would. */
const UNCAGED = `#!/usr/bin/perl
open(my $status, ">&=", 6); print $status '{ "exit-code": 0 }'; close($status);
exec(@ARGV[3 .. $#ARGV]);
`;

describe('T12: there is no cage', () => {
  it('where bubblewrap is not on PATH', async () => {
    expect(await find({ path: folder })).toEqual({ kind: 'none', reasons: ['bubblewrap (bwrap) is not installed'] });
    expect(reasonsOf(await find({ path: '.:bin:' }))).toEqual(['bubblewrap (bwrap) is not installed']);
  });

  it('where bubblewrap ends with 1, whatever it says', async () => {
    const path = pathWith('#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n');
    expect(reasonsOf(await find({ path }))).toEqual([
      'the cage failed: bwrap: No permissions to create new namespace\n',
    ]);
  });

  it('where bubblewrap says nothing and does nothing', async () => {
    expect(reasonsOf(await find({ path: pathWith('#!/bin/sh\nexit 0\n') }))).toEqual(['the cage failed: ']);
  });

  it('where bubblewrap cannot be started', async () => {
    expect(reasonsOf(await find({ path: pathWith('#!/there/is/none\n') }))).toEqual([
      expect.stringMatching(/^the cage failed|could not be started/),
    ]);
  });

  it('where bubblewrap runs the program outside', async () => {
    const reasons = reasonsOf(await find({ path: pathWith(UNCAGED) }));
    expect(reasons).toEqual(
      expect.arrayContaining([
        'a program does not see the workspace',
        'a program can write to files outside',
        'a program can read files outside',
        'a program can read files of the machine',
        'a program can see processes outside',
        'a program can reach a listener outside',
        'a program has changed files outside',
        'a program has reached a listener outside',
      ]),
    );
  });

  it('where the answers are of another day', async () => {
    const right = { seesWorkspace: true, runsRipgrep: true, writesTmp: true, processId: 2, accountId: 65_534 };
    const able = ['writesWorkspace', 'writesRoot', 'writesOutside', 'readsOutside', 'readsMachine', 'readsProcesses'];
    const free = ['holdsFiles', 'gainsRights', 'hasRights', 'mounts', 'makesNamespaces'];
    const not = Object.fromEntries([...able, ...free].map((name) => [name, false]));
    const { processes } = cageWish(folder).limits;
    const others = { network: ['EPERM'], variables: [], processes: String(processes) };
    const answers = { nonce: 'f'.repeat(32), ...right, ...not, ...others };
    const path = pathWith(`#!/bin/sh\necho '${JSON.stringify(answers)}'\necho '{"exit-code":0}' >&6\n`);
    expect(reasonsOf(await find({ path }))).toEqual(['it does not run a program ()']);
  });

  it.skipIf(process.getuid?.() !== 0)('where the account of the cage cannot get at the workspaces', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    expect(reasonsOf(await find({ dataFolder: join(closed, 'data') }))).toEqual([
      expect.stringMatching(/^\S+\/closed is closed to the account \d+ of the cage \(chmod o\+x\)/),
    ]);
  });

  it('and nothing of the check is left behind', () => {
    expect(readdirSync(folder).filter((name) => name.startsWith('check-'))).toEqual([]);
  });
});

describe.skipIf(cage === null)(`T12: a cage with a hole is found out${why}`, () => {
  it('and this way of changing it leaves it whole', async () => {
    expect(reasonsOf(await find({ path: pathWith(changed('')) }))).toEqual(['it was taken']);
  });

  it.each([
    ['without the filter', 'drop("--seccomp", 1)', 'a program can make a socket'],
    [
      'with the network of the machine',
      'drop("--seccomp", 1); push(@a, "--share-net")',
      'a program has reached a listener outside',
    ],
    [
      'with the processes of the machine',
      'swap("--unshare-all", "--unshare-net"); push(@a, "--unshare-uts")',
      'a program has the process ids of the machine',
    ],
    ['with a /proc', 'unshift(@a, "--proc", "/proc")', 'a program can see processes outside'],
    ['with a /etc', 'unshift(@a, "--ro-bind", "/etc", "/etc")', 'a program can read files of the machine'],
    ['with a root that can be written to', 'drop("--remount-ro", 1)', 'a program can write to the root of the cage'],
    [
      'with a folder that it can read',
      last(`"--ro-bind", "${folder}", "${folder}"`),
      'a program can read files outside',
    ],
    [
      'with a folder that it can write to',
      last(`"--bind", "${folder}", "${folder}"`),
      'a program has changed files outside',
    ],
    ['without a /tmp', 'drop("--tmpfs", 1); drop("--size", 1)', 'a program cannot write to its own /tmp'],
    ['with a variable', 'push(@a, "--setenv", "TOKEN_OF_THE_SERVICE", "x")', 'a program has variables of the service'],
    [
      'with a workspace that can be written to',
      'for my $at (0 .. $#a) { $a[$at - 2] = "--bind" if $a[$at] eq "/workspace" && $a[$at - 2] eq "--ro-bind" }',
      'a program can write to the workspace',
    ],
    ['without a limit of processes', '@ARGV = grep { !/^--nproc/ } @ARGV', 'the number of processes is not limited'],
    [
      'with rights in a namespace of its own, and no filter',
      'drop("--cap-drop", 1); drop("--seccomp", 1); push(@a, "--cap-add", "ALL")',
      'a program has the privileges of an administrator',
    ],
  ])('%s', async (_, change, reason) => {
    expect(reasonsOf(await find({ path: pathWith(changed(change)) }))).toEqual(expect.arrayContaining([reason]));
  });
});
