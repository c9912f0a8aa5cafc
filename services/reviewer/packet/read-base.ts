import type { Protect } from '../../../shared/agent/present-result.ts';
import type { ReadBase } from '../../../shared/agent/tools/read.ts';
import { textLines } from '../../../shared/agent/tools/workspace-files.ts';
import { findFile } from '../../../shared/diff/position/find-file.ts';
import type { Packet } from './packet.ts';

/** Reads files at the merge base for the model, redacted as a whole. A renamed file is also found under its new path. */
export const createReadBase =
  ({ diff, baseText }: Pick<Packet, 'diff' | 'baseText'>, protect: Protect): ReadBase =>
  async (path, signal) => {
    signal.throwIfAborted();
    const text = (await baseText(path)) ?? (await baseText(findFile(diff, path, 'old')?.oldPath ?? path));
    if (text === null) return { kind: 'refused', reason: 'not found' };
    return { kind: 'lines', lines: textLines(await protect(text, signal)) };
  };
