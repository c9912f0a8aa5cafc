/**
 * The few instructions of classic BPF that a seccomp filter needs, and their bytes.
 * Source: https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html and linux/filter.h.
 */

/** `jumpTrue` and `jumpFalse` are numbers of instructions to skip. */
export type Instruction = {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  /** An unsigned 32-bit number. */
  readonly operand: number;
};

/** BPF_LD | BPF_W | BPF_ABS */
const LOAD_WORD = 0x20;
/** BPF_RET | BPF_K */
const RETURN = 0x06;
/** BPF_JMP | BPF_K, combined with the comparison. */
const JUMPS = { equal: 0x15, greater: 0x25, atLeast: 0x35, anyBit: 0x45 } as const;

export type JumpComparison = keyof typeof JUMPS;

const MAX_JUMP = 255;
/** BPF_MAXINSNS: the kernel refuses longer programs. */
const MAX_INSTRUCTIONS = 4096;

/** Loads four bytes of `struct seccomp_data`, which the following jumps compare. */
export const loadWord = (offset: number): Instruction => ({
  code: LOAD_WORD,
  jumpTrue: 0,
  jumpFalse: 0,
  operand: offset,
});

export const answer = (action: number): Instruction => ({
  code: RETURN,
  jumpTrue: 0,
  jumpFalse: 0,
  operand: action,
});

/** Runs `then` when the comparison holds, otherwise skips it. Contract: `then` has at most 255 instructions. */
export const when = (
  comparison: JumpComparison,
  operand: number,
  then: readonly Instruction[],
): readonly Instruction[] => {
  if (then.length > MAX_JUMP) throw new RangeError(`a jump over ${then.length} instructions`);
  return [{ code: JUMPS[comparison], jumpTrue: 0, jumpFalse: then.length, operand }, ...then];
};

/** Encodes the program in little-endian order, which all supported architectures use. */
export const assemble = (program: readonly Instruction[]): Uint8Array => {
  if (program.length === 0 || program.length > MAX_INSTRUCTIONS) {
    throw new RangeError(`a program of ${program.length} instructions`);
  }
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jumpTrue, jumpFalse, operand }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  }
  return bytes;
};
