/** The filter of system calls that the cage runs under, as the program that the kernel takes. */
import { answer, assemble, type Instruction, loadWord, when } from './bpf.ts';
import { CLONE, CLONE3, IOCTL, NEWEST_CALL, type Numbers, REFUSED_CALLS, SOCKETPAIR } from './system-calls.ts';

export type CpuArchitecture = 'x64' | 'arm64';

export const ALLOW = 0x7fff_0000;
export const KILL = 0x8000_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
export const REFUSE = ERRNO | EPERM;
export const NOT_THERE = ERRNO | ENOSYS;

/** `struct seccomp_data`: number, architecture, address, six arguments of eight bytes. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/** The lower half: what the kernel itself looks at in flags, families and requests. */
const argumentAt = (index: number): number => 16 + 8 * index;

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
export const ARCHITECTURES: Readonly<Record<CpuArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Calls of the x32 kind have the architecture of x86_64 and other numbers. */
export const X32_BIT = 0x4000_0000;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
export const NEW_NAMESPACES = 0x7e02_0000;
/** A connected pair reaches nobody, and programs talk to their children through one. */
const AF_UNIX = 1;
/** Both write into the terminal of whoever started Fixpoint. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const onCall = (numbers: Numbers, machine: CpuArchitecture, then: readonly Instruction[]): readonly Instruction[] => {
  const number = numbers[machine];
  return number === null ? [] : when('equal', number, then);
};

const program = (machine: CpuArchitecture): readonly Instruction[] => [
  loadWord(ARCHITECTURE),
  ...when('equal', ARCHITECTURES[machine], [loadWord(NUMBER), ...calls(machine)]),
  answer(KILL),
];

/** Contract: shorter than a jump reaches, and every way through it ends in an answer. */
const calls = (machine: CpuArchitecture): readonly Instruction[] => [
  ...(machine === 'x64' ? when('atLeast', X32_BIT, [answer(KILL)]) : []),
  ...when('greater', NEWEST_CALL, [answer(NOT_THERE)]),
  ...onCall(CLONE3, machine, [answer(NOT_THERE)]),
  ...Object.values(REFUSED_CALLS).flatMap((numbers) => onCall(numbers, machine, [answer(REFUSE)])),
  ...onCall(CLONE, machine, [
    loadWord(argumentAt(0)),
    ...when('anyBit', NEW_NAMESPACES, [answer(REFUSE)]),
    answer(ALLOW),
  ]),
  ...onCall(SOCKETPAIR, machine, [loadWord(argumentAt(0)), ...when('equal', AF_UNIX, [answer(ALLOW)]), answer(REFUSE)]),
  ...onCall(IOCTL, machine, [
    loadWord(argumentAt(1)),
    ...when('equal', TIOCSTI, [answer(REFUSE)]),
    ...when('equal', TIOCLINUX, [answer(REFUSE)]),
  ]),
  answer(ALLOW),
];

export const isFiltered = (machine: string): machine is CpuArchitecture => Object.hasOwn(ARCHITECTURES, machine);

/** What bubblewrap's `--seccomp` reads. */
export const seccompFilter = (machine: CpuArchitecture): Uint8Array => assemble(program(machine));
