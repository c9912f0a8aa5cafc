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

/** Layout of `struct seccomp_data`: number, architecture, address, six arguments of eight bytes. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/** Offset of an argument's lower 32 bits, which hold all flags, families and requests that the filter compares. */
const argumentAt = (index: number): number => 16 + 8 * index;

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
export const ARCHITECTURES: Readonly<Record<CpuArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** x32 system calls report the architecture x86_64, but have this bit set in their numbers. */
export const X32_BIT = 0x4000_0000;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
export const NEW_NAMESPACES = 0x7e02_0000;
/** `socketpair` is allowed for Unix sockets: programs use it to talk to their children, and it connects to nothing else. */
const AF_UNIX = 1;
/** TIOCSTI and TIOCLINUX can inject input into the terminal from which Fixpoint was started. */
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

/** Contract: at most 254 instructions, and every path ends in a decision. */
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

export const seccompFilter = (machine: CpuArchitecture): Uint8Array => assemble(program(machine));
