/** What the kernel does with a filter: an interpreter of classic BPF, written from its description alone. */

export type SystemCall = { readonly number: number; readonly architecture: number; readonly args?: readonly bigint[] };

/** The 64 bytes of `struct seccomp_data`. */
const dataOf = ({ number, architecture, args = [] }: SystemCall): DataView => {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, number >>> 0, true);
  view.setUint32(4, architecture >>> 0, true);
  for (const [index, value] of args.entries()) view.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true);
  return view;
};

const holds = (code: number, accumulator: number, operand: number): boolean => {
  switch (code & 0xf0) {
    case 0x10:
      return accumulator === operand;
    case 0x20:
      return accumulator > operand;
    case 0x30:
      return accumulator >= operand;
    case 0x40:
      return (accumulator & operand) !== 0;
    default:
      throw new Error(`an unknown comparison ${code.toString(16)}`);
  }
};

/** The action; throws for whatever the kernel would refuse to load or run. */
export const runBpf = (program: Uint8Array, call: SystemCall): number => {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = dataOf(call);
  let accumulator = 0;
  for (let at = 0; at < program.byteLength; at += 8) {
    const operand = code.getUint32(at + 4, true);
    const operation = code.getUint16(at, true);
    if (operation === 0x06) return operand;
    if (operation === 0x20) {
      if (operand % 4 !== 0 || operand > 60) throw new Error(`a load at ${operand}`);
      accumulator = data.getUint32(operand, true);
      continue;
    }
    if ((operation & 0x0f) !== 0x05) throw new Error(`an unknown instruction ${operation.toString(16)}`);
    at += 8 * code.getUint8(at + (holds(operation, accumulator, operand) ? 2 : 3));
  }
  throw new Error('the program has no end');
};
