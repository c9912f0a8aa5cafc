/** Files as arguments of a program. */

const MAX_FILES = 500;
/** The kernel allows more, but also counts the environment and every pointer. */
const MAX_BYTES = 64 * 1024;

/** The prefix keeps a program from taking a file name for an option. */
const argumentOf = (path: string): string => `./${path}`;

export const fileBatches = (paths: readonly string[]): readonly (readonly string[])[] => {
  const batches: string[][] = [];
  let bytes = 0;
  for (const argument of paths.map(argumentOf)) {
    const last = batches.at(-1);
    bytes += Buffer.byteLength(argument) + 1;
    if (last !== undefined && last.length < MAX_FILES && bytes <= MAX_BYTES) last.push(argument);
    else {
      batches.push([argument]);
      bytes = Buffer.byteLength(argument) + 1;
    }
  }
  return batches;
};
