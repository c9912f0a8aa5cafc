/** What a loader makes of a set: cases, and for everything else the reason why it is no case. */
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { EvalCase } from '../../../../shared/eval/case.ts';
import { caseIssues } from '../../../../shared/eval/parse-cases.ts';
import { jsonOrNull } from '../../../../shared/json-or-null.ts';
import { unreadable, UsageError } from '../../terminal/usage-error.ts';

export type RefusedCase = { readonly id: string; readonly why: string };

export type LoadedSet = {
  readonly cases: readonly EvalCase[];
  readonly refused: readonly RefusedCase[];
  /** What the reader should know about the set. */
  readonly remarks: readonly string[];
};

/** Sets are larger than any message, but not unlimited. */
const MAX_SET_BYTES = 64 * 1024 * 1024;

/** @throws UsageError */
export const readSetText = async (file: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (bytes.length > MAX_SET_BYTES) throw new UsageError(`${file} is larger than ${MAX_SET_BYTES} bytes`);
  return bytes.toString('utf8');
};

/** @throws UsageError */
export const readSetJson = async (file: string): Promise<unknown> => {
  const value = jsonOrNull(await readSetText(file));
  if (value === null) throw new UsageError(`${file} is not JSON`);
  return value;
};

/** The names in a folder, sorted. @throws UsageError */
export const listSet = async (folder: string): Promise<readonly string[]> => {
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  return names.toSorted((one, other) => (one < other ? -1 : 1));
};

/** Lower case, and other characters than those of an id replaced. */
export const idOf = (...parts: readonly string[]): string =>
  parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-')
    .slice(0, 120);

/** Sorts what a loader made into cases and refusals. */
export const collect = (
  made: readonly (RefusedCase | Readonly<Record<string, unknown>>)[],
): Omit<LoadedSet, 'remarks'> => {
  const cases = new Map<string, EvalCase>();
  const refused: RefusedCase[] = [];
  for (const each of made) {
    if (isRefused(each)) {
      refused.push(each);
      continue;
    }
    const read = caseIssues(each);
    const id = String(each['id']);
    if (!('id' in read)) refused.push({ id, why: read.join('; ') });
    else if (cases.has(id)) refused.push({ id, why: 'another case has the same id' });
    else cases.set(id, read);
  }
  return { cases: [...cases.values()], refused };
};

const isRefused = (made: RefusedCase | Readonly<Record<string, unknown>>): made is RefusedCase => 'why' in made;

/** The number of a pull request and its repository, from its address. */
export const pullRequestOf = (
  address: string,
): { readonly url: string; readonly repository: string; readonly number: string } | null => {
  const [, url, repository, number] = /^(https:\/\/[^/\s]+\/([^/\s]+\/[^/\s]+))\/pull\/(\d+)$/.exec(address) ?? [];
  return url === undefined || repository === undefined || number === undefined ? null : { url, repository, number };
};

export const inSet = (root: string, ...names: readonly string[]): string => path.join(root, ...names);
