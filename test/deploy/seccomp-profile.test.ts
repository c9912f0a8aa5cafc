/** The profile for containers, tried without one: what the kernel is told of it is the same. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, assemble, type Instruction, loadWord, when } from '../../shared/workspace/cage/bpf.ts';
import { whereItEnds } from '../../shared/workspace/cage/cage-programs.ts';
import { ALLOW, REFUSE } from '../../shared/workspace/cage/seccomp-filter.ts';
import { REFUSED_CALLS } from '../../shared/workspace/cage/system-calls.ts';
import { findTestCage, openFolder } from '../support/cage.ts';

const Rule = z.strictObject({
  comment: z.string().min(5),
  names: z.array(z.string()).min(1),
  action: z.enum(['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO']),
  errnoRet: z.int().optional(),
  args: z.array(z.strictObject({ index: z.literal(0), value: z.int(), op: z.literal('SCMP_CMP_NE') })).optional(),
});
const Profile = z.strictObject({
  defaultAction: z.literal('SCMP_ACT_ERRNO'),
  defaultErrnoRet: z.literal(1),
  archMap: z.array(z.strictObject({ architecture: z.string(), subArchitectures: z.array(z.string()).max(0) })),
  syscalls: z.array(Rule),
});
type Rule = z.output<typeof Rule>;

const FILE = fileURLToPath(new URL('../../deploy/seccomp.json', import.meta.url));
const CHILD = fileURLToPath(new URL('../support/cage-child.ts', import.meta.url));
const HEADER = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h';
const NO_SUCH_CALL = 0x0005_0000;
const OTHER_UID = '49998';

const profile = Profile.parse(JSON.parse(readFileSync(FILE, 'utf8')));
const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
const forCages = profile.syscalls.filter(({ comment }) => comment.startsWith('The cage'));

describe('deploy/seccomp.json', () => {
  it('names each call once', () => {
    const names = profile.syscalls.flatMap((rule) => rule.names);
    expect(names).toEqual([...new Set(names)]);
  });

  it('gives a container nothing that a cage has no use for, but what builds one and a network', () => {
    const network = [
      'accept',
      'accept4',
      'bind',
      'connect',
      'listen',
      'recvmmsg',
      'recvmsg',
      'sendmmsg',
      'sendmsg',
      'socket',
    ];
    const builds = forCages.flatMap(({ names }) => names);
    const both = allowed.filter((name) => Object.hasOwn(REFUSED_CALLS, name));
    expect(both.toSorted()).toEqual([...network, ...builds, 'memfd_create'].toSorted());
  });

  it('is the profile of every service in docker-compose.yml that runs cages', () => {
    const compose = readFileSync(fileURLToPath(new URL('../../docker-compose.yml', import.meta.url)), 'utf8');
    expect(compose).toContain('seccomp=./deploy/seccomp.json');
    expect(compose).toContain('apparmor=unconfined');
  });
});

const numbers = existsSync(HEADER)
  ? new Map(
      [...readFileSync(HEADER, 'utf8').matchAll(/#define __NR_(\w+)\s+(\d+)/g)].map(([, name, id]) => [
        name,
        Number(id),
      ]),
    )
  : new Map<string | undefined, number>();

/** The value that the kernel compares is the lower half of the first argument. */
const instructionsFor = ({ names, action, errnoRet = 0, args }: Rule): readonly Instruction[] => {
  const verdict = answer(action === 'SCMP_ACT_ALLOW' ? ALLOW : NO_SUCH_CALL | errnoRet);
  const looks = args?.flatMap(({ value }) => [loadWord(16), ...when('equal', value, [answer(REFUSE)])]) ?? [];
  return names.flatMap((name) => {
    const number = numbers.get(name);
    return number === undefined ? [] : when('equal', number, [...looks, verdict]);
  });
};

const filterOf = (rules: readonly Rule[]): Uint8Array =>
  assemble([loadWord(0), ...rules.flatMap(instructionsFor), answer(REFUSE)]);

/** As in a container: an account of no importance, all files of the machine, and this filter around everything. */
const checkUnder = async (rules: readonly Rule[], folder: string): Promise<unknown> => {
  const account = ['--reuid', OTHER_UID, '--regid', OTHER_UID, '--clear-groups'];
  const container = ['/usr/bin/bwrap', '--dev-bind', '/', '/', '--seccomp', '3'];
  const program = [process.execPath, '--import', 'tsx', CHILD, 'check', folder];
  const child = spawn('/usr/bin/setpriv', [...account, ...container, ...program], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  const filter = child.stdio[3];
  if (filter === null || filter === undefined || !('end' in filter) || !child.stdout || !child.stderr)
    throw new Error('a pipe');
  filter.end(filterOf(rules));
  const [said, errors] = await Promise.all([text(child.stdout), buffer(child.stderr)]);
  return said === '' ? errors.toString('utf8') : JSON.parse(said);
};

const { cage, dispose, why } = await findTestCage();
const { path: folder, dispose: disposeFolder } = openFolder(0o777);
afterAll(() => {
  dispose();
  disposeFolder();
});

const whyNot =
  (process.getuid?.() === 0 ? '' : ' (skipped: not run as root)') +
  (numbers.size > 0 && process.arch === 'x64' ? '' : ` (skipped: no ${HEADER})`) +
  ((await whereItEnds(dirname(CHILD))) === null ? '' : ' (skipped: the project is closed to other accounts)');

describe.skipIf(cage === null || whyNot !== '')(`under this profile${why}${whyNot}`, () => {
  it('a service has its cage', async () => {
    expect(await checkUnder(profile.syscalls, folder)).toEqual({ uid: Number(OTHER_UID), kind: 'caged' });
  });

  it('and without the calls that build one it has none, and says why', async () => {
    const rules = profile.syscalls.filter((rule) => !forCages.includes(rule));
    expect(await checkUnder(rules, folder)).toEqual({
      uid: Number(OTHER_UID),
      kind: 'none',
      reasons: [expect.stringMatching(/^the cage failed: bwrap: /)],
    });
  });
});
