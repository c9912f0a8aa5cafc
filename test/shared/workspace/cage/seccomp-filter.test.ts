/** The filter of system calls, run by an interpreter for both machines and by the kernel of this one. */
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { assemble, answer, when } from '../../../../shared/workspace/cage/bpf.ts';
import {
  ALLOW,
  ARCHITECTURES,
  KILL,
  type CpuArchitecture,
  NEW_NAMESPACES,
  NOT_THERE,
  REFUSE,
  seccompFilter,
} from '../../../../shared/workspace/cage/seccomp-filter.ts';
import {
  CLONE,
  CLONE3,
  IOCTL,
  NEWEST_CALL,
  REFUSED_CALLS,
  SOCKETPAIR,
} from '../../../../shared/workspace/cage/system-calls.ts';
import { findTestCage } from '../../../support/cage.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { runBpf } from '../run-bpf.ts';

const { cage, workspace, dispose, why } = await findTestCage();
afterAll(dispose);

const MACHINES: readonly CpuArchitecture[] = ['x64', 'arm64'];
const FILTERS = { x64: seccompFilter('x64'), arm64: seccompFilter('arm64') } as const;

const decide = (machine: CpuArchitecture, number: number | null, ...args: readonly bigint[]): number =>
  runBpf(FILTERS[machine], { number: number ?? -1, architecture: ARCHITECTURES[machine], args });

const EVERY = MACHINES.flatMap((machine) =>
  Object.entries(REFUSED_CALLS).flatMap(([name, numbers]) =>
    numbers[machine] === null ? [] : [{ machine, name, number: numbers[machine] }],
  ),
);

describe.each(MACHINES)('on %s the filter', (machine) => {
  it('refuses every call of the table, whatever its arguments', () => {
    const calls = EVERY.filter((one) => one.machine === machine);
    expect(calls.length).toBeGreaterThan(60);
    const wrong = calls.filter(({ number }) => decide(machine, number, 0n, ~0n, 1n) !== REFUSE);
    expect(wrong).toEqual([]);
  });

  it('lets programs make processes and threads, and no namespace of any kind', () => {
    const SIGCHLD = 17n;
    const THREAD = 0x3d0f00n;
    expect([decide(machine, CLONE[machine], SIGCHLD), decide(machine, CLONE[machine], THREAD)]).toEqual([ALLOW, ALLOW]);
    const kinds = [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n];
    expect(kinds.reduce((all, kind) => all | kind)).toBe(BigInt(NEW_NAMESPACES));
    expect(kinds.map((kind) => decide(machine, CLONE[machine], kind | SIGCHLD))).toEqual(kinds.map(() => REFUSE));
    expect(decide(machine, CLONE3[machine], 0n)).toBe(NOT_THERE);
  });

  it('lets a program talk to its own children, and to nobody else', () => {
    const families = [0n, 2n, 10n, 16n, 17n, 38n, 40n];
    expect(decide(machine, SOCKETPAIR[machine], 1n)).toBe(ALLOW);
    expect(families.map((family) => decide(machine, SOCKETPAIR[machine], family))).toEqual(families.map(() => REFUSE));
  });

  it('lets nobody type into a terminal, also with bits that the kernel does not look at', () => {
    const [TCGETS, TIOCSTI, TIOCLINUX] = [0x5401n, 0x5412n, 0x541cn];
    const decided = [TCGETS, TIOCSTI, TIOCSTI | (1n << 40n), TIOCLINUX].map((request) =>
      decide(machine, IOCTL[machine], 0n, request),
    );
    expect(decided).toEqual([ALLOW, REFUSE, REFUSE, REFUSE]);
  });

  it('kills what calls as on another machine', () => {
    const others = [0x40000003, 0x40000028, ...Object.values(ARCHITECTURES)].filter(
      (id) => id !== ARCHITECTURES[machine],
    );
    const killed = others.map((architecture) => runBpf(FILTERS[machine], { number: 0, architecture }));
    expect(killed).toEqual(others.map(() => KILL));
  });

  it('knows no call that is newer than itself', () => {
    expect([NEWEST_CALL, NEWEST_CALL + 1, 500, 0x3fffffff].map((number) => decide(machine, number))).toEqual([
      ALLOW,
      NOT_THERE,
      NOT_THERE,
      NOT_THERE,
    ]);
  });

  it('decides each call by its table alone', () => {
    const refused = new Set(EVERY.filter((one) => one.machine === machine).map(({ number }) => number));
    const looked = [CLONE, CLONE3, SOCKETPAIR, IOCTL].map((numbers) => numbers[machine]);
    fc.assert(
      fc.property(fc.nat(NEWEST_CALL), fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { maxLength: 6 }), (number, args) => {
        fc.pre(!looked.includes(number));
        expect(decide(machine, number, ...args)).toBe(refused.has(number) ? REFUSE : ALLOW);
      }),
      propertyRuns(500, 100_000),
    );
  });
});

test('calls of the x32 kind are killed on x64, all of them', () => {
  expect([0x40000000, 0x40000001, 0x40000209, 0xffffffff].map((number) => decide('x64', number))).toEqual(
    Array.from({ length: 4 }, () => KILL),
  );
});

const HEADERS: Readonly<Record<CpuArchitecture, string>> = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
};

describe.each(MACHINES)('the numbers for %s', (machine) => {
  const header = HEADERS[machine];
  it.skipIf(!existsSync(header))(`are those of ${header} (skipped where it is not installed)`, () => {
    const text = readFileSync(header, 'utf8');
    const known = new Map([...text.matchAll(/#define __NR_(\w+)\s+(\d+)/g)].map(([, name, id]) => [name, Number(id)]));
    const table = { ...REFUSED_CALLS, clone: CLONE, clone3: CLONE3, socketpair: SOCKETPAIR, ioctl: IOCTL };
    const ours = Object.entries(table).map(([name, numbers]) => [name, numbers[machine]]);
    expect(ours).toEqual(ours.map(([name]) => [name, known.get(String(name)) ?? null]));
  });
});

describe.skipIf(cage === null)(`the kernel with this filter${why}`, () => {
  const machine = process.arch as CpuArchitecture;

  it('refuses every call of the table', async () => {
    const calls = EVERY.filter((one) => one.machine === machine);
    // Minus one is a descriptor, an address and a size that no call takes: nothing happens where one is let through.
    const script = `for my $n (${calls.map(({ number }) => number).join(',')}) { $! = 0; syscall($n, -1, -1, -1, -1, -1, -1); print $! + 0, " " }`;
    const result = await cage?.run(['/usr/bin/perl', '-e', script], {
      workspace,
      timeoutMs: 20_000,
      outputBytes: 64 * 1024,
      signal: new AbortController().signal,
    });
    const numbers = result?.stdout.toString('utf8').trim().split(' ');
    expect(numbers?.map((errno, index) => [calls[index]?.name, errno])).toEqual(calls.map(({ name }) => [name, '1']));
  });

  it.skipIf(machine !== 'x64')('kills a call of the x32 kind', async () => {
    const result = await cage?.run(['/usr/bin/perl', '-e', 'syscall(0x40000000 + 39); print "alive"'], {
      workspace,
      timeoutMs: 20_000,
      outputBytes: 1024,
      signal: new AbortController().signal,
    });
    const SIGSYS = 31;
    expect([result?.code, result?.stdout.toString('utf8')]).toEqual([128 + SIGSYS, '']);
  });
});

describe('the assembler', () => {
  it('puts an instruction into eight bytes, the low ones first', () => {
    const [bytes] = [assemble(when('anyBit', 0x12345678, [answer(0x7fff0000)]))];
    expect(Buffer.from(bytes).toString('hex')).toBe('4500000178563412060000000000ff7f');
  });

  it('makes no jump that is longer than a byte, and no program without an end', () => {
    const long = Array.from({ length: 256 }, () => answer(ALLOW));
    expect(() => when('equal', 1, long)).toThrow(RangeError);
    expect(when('equal', 1, long.slice(1))).toHaveLength(256);
    expect(() => assemble([])).toThrow(RangeError);
  });
});
