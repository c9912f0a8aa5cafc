import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { inspectDiff } from '../../shared/diff/inspect.ts';
import { parseDiff } from '../../shared/diff/parse.ts';
import { printJson } from './print-json.ts';

/** `fixpoint diff-inspect FILE|-`: what the diff engine sees, so that a user can report a diff that goes wrong. */
export const diffInspect = async (file: string): Promise<number> => {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const inspected = inspectDiff(parseDiff(await buffer(source)));
  process.stdout.write(printJson(inspected));
  return 0;
};
