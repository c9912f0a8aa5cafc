import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { inspectDiff } from '../../shared/diff/inspect.ts';
import { parseDiff } from '../../shared/diff/parse.ts';

/** `fixpoint diff-inspect FILE|-`: what the diff engine sees, so that a user can report a diff that goes wrong. */
export const diffInspect = async (file: string): Promise<number> => {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const inspected = inspectDiff(parseDiff(await buffer(source)));
  process.stdout.write(`${JSON.stringify(inspected, null, 2)}\n`);
  return 0;
};
