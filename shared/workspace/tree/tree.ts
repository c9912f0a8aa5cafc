/** The files of a checkout, as tools read them. They are opened in this process or in a cage. */
import type { CommandResult } from '../process/command.ts';
import type { AbsentFiles } from './absent-files.ts';
import { kindOfEntry, openInside, resolveInside } from './open-inside.ts';
import { runRipgrep } from '../process/ripgrep.ts';

type Refused = { readonly kind: 'refused'; readonly reason: string };

export type TreeFile = { readonly kind: 'file'; readonly data: Buffer } | Refused;

export type TreePlace =
  | {
      readonly kind: 'inside';
      /** Path relative to the root, without links. The root itself has an empty path. */
      readonly path: string;
      readonly entry: 'file' | 'folder' | 'other';
    }
  | Refused;

/**
 * Contract: paths come from a model. Files outside the checkout are never opened, nor are links, pipes or devices inside it.
 * Refusals are returned as values. Methods throw `signal.reason` after an abort, and errors of the machine.
 */
export type Tree = {
  /** Refuses a file that is larger than `maxBytes`. */
  readonly read: (path: string, maxBytes: number, signal: AbortSignal) => Promise<TreeFile>;
  readonly locate: (path: string, signal: AbortSignal) => Promise<TreePlace>;
  /** Contract: like `runRipgrep`; `folder` is a path that `locate` returned. */
  readonly ripgrep: (
    folder: string,
    search: { readonly args: readonly string[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<CommandResult>;
  /** The files of the commit that are not in the checkout. If absent, all are there. */
  readonly absent?: AbsentFiles | undefined;
  /** Ends all processes of this tree. Contract: the checkout is deleted only after this call. */
  readonly close: () => Promise<void>;
};

export const tooLarge = (bytes: number, maxBytes: number): Refused => ({
  kind: 'refused',
  reason: `a file of ${bytes} bytes; the limit is ${maxBytes}`,
});

const readInside = async (root: string, path: string, maxBytes: number): Promise<TreeFile> => {
  const opened = await openInside(root, path);
  if (opened.kind === 'refused') return opened;
  try {
    if (opened.bytes > maxBytes) return tooLarge(opened.bytes, maxBytes);
    const buffer = Buffer.alloc(opened.bytes);
    let have = 0;
    while (have < buffer.length) {
      const { bytesRead } = await opened.handle.read(buffer, have, buffer.length - have, have);
      if (bytesRead === 0) break;
      have += bytesRead;
    }
    return { kind: 'file', data: buffer.subarray(0, have) };
  } finally {
    await opened.handle.close();
  }
};

export const openTree = (root: string): Tree => ({
  read: async (path, maxBytes, signal) => {
    signal.throwIfAborted();
    return readInside(root, path, maxBytes);
  },
  locate: async (path, signal) => {
    signal.throwIfAborted();
    const inside = await resolveInside(root, path);
    if (inside.kind === 'refused') return inside;
    return { kind: 'inside', path: inside.path, entry: await kindOfEntry(inside.absolute) };
  },
  ripgrep: async (folder, { args, maxBytes }, signal) => {
    const inside = await resolveInside(root, folder);
    if (inside.kind === 'refused') throw new RangeError(`cannot locate the folder: ${inside.reason}`);
    return runRipgrep(inside.absolute, args, maxBytes, signal);
  },
  close: async () => {},
});
