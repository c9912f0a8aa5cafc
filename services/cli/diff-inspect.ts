import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { inspectDiff } from '../../shared/diff/inspect.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { printJson } from './terminal/print-json.ts';
import { unreadable } from './terminal/usage-error.ts';

const readWhole = async (file: string): Promise<Buffer> => {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
};

/** `fixpoint diff-inspect FILE|-`: prints what the diff engine sees, so that a user can report a diff it gets wrong. */
export const diffInspect = async (file: string): Promise<number> => {
  const inspected = inspectDiff(parseDiff(await readWhole(file)));
  process.stdout.write(printJson(inspected));
  return 0;
};
