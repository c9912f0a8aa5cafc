/** What an output of the Bash tool shows parts of: read as a whole, in the cage too, and searched for secrets. */
import type { BashSources } from '../../workspace/bash/bash-arrange.ts';
import type { BashRunner } from '../../workspace/bash/bash-runner.ts';
import type { Protect } from '../present-result.ts';
import { findSecretLines, type SecretLines } from './secret-lines.ts';

/**
 * - `lines`: by what was asked for; nothing under what does not exist.
 * - `too_much`: more than can be searched.
 */
export type SourceLines =
  | { readonly kind: 'lines'; readonly byName: ReadonlyMap<string, SecretLines> }
  | { readonly kind: 'too_much' };

/** Contract: gives the same for the same names, as long as the history stays as it is, which it does. */
export type ReadSources = (names: readonly string[], signal: AbortSignal) => Promise<SourceLines>;

export const MAX_SOURCES = 200;
const MAX_SOURCE_BYTES = 4 * 1024 * 1024;
const KEEP_SOURCES = 1_000;

/**
 * `ID TYPE SIZE`, then the content and a line feed; or the name and why there is none. In the order of the names. Null for
 * an output that ends before the last of them, as one does that was too long or took too long.
 */
export const parseBatch = (output: Buffer, names: readonly string[]): ReadonlyMap<string, string> | null => {
  const found = new Map<string, string>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(10, at);
    if (end < 0) return null;
    const header = /^[0-9a-f]{40,64} (\w+) (\d+)$/.exec(output.toString('latin1', at, end));
    at = end + 1;
    if (header === null) continue;
    const bytes = Number(header[2]);
    if (output[at + bytes] !== 10) return null;
    // A folder holds names and nothing else.
    found.set(name, header[1] === 'tree' ? '' : output.toString('utf8', at, at + bytes));
    at += bytes + 1;
  }
  return found;
};

const readBatch = async (run: BashRunner, names: readonly string[], signal: AbortSignal) => {
  const stdin = Buffer.from(names.map((name) => `${name}\n`).join(''), 'utf8');
  const call = { program: 'git', args: ['cat-file', '--batch'], stdin, outputBytes: MAX_SOURCE_BYTES } as const;
  const { stdout } = await run(call, signal);
  return parseBatch(stdout, names);
};

export const createReadSources = (run: BashRunner, protect: Protect): ReadSources => {
  /** Null for what does not exist. */
  const kept = new Map<string, SecretLines | null>();
  return async (names, signal) => {
    const wanted = [...new Set(names)];
    if (kept.size > KEEP_SOURCES) kept.clear();
    const unread = wanted.filter((name) => !kept.has(name));
    if (unread.length > MAX_SOURCES) return { kind: 'too_much' };
    const texts = unread.length === 0 ? new Map<string, string>() : await readBatch(run, unread, signal);
    if (texts === null) return { kind: 'too_much' };
    const byName = new Map<string, SecretLines>();
    for (const name of unread) {
      const text = texts.get(name);
      kept.set(name, text === undefined ? null : await findSecretLines(text, protect, signal));
    }
    for (const name of wanted) {
      const lines = kept.get(name);
      if (lines !== null && lines !== undefined) byName.set(name, lines);
    }
    return { kind: 'lines', byName };
  };
};

/** A revision is asked for as what it leads to: a tag of a file shows the file. */
const namesOfObjects = (objects: readonly string[]): readonly string[] =>
  objects.map((object) => (object.includes(':') ? object : `${object}^{}`));

const INDEX_LINE = /\bindex ([0-9a-f]{40,64}(?:,[0-9a-f]{40,64})*)\.\.([0-9a-f]{40,64})/g;

/** Both sides of every file of a patch; an id of zeros only is no object. */
const namesOfPatches = (output: string): readonly string[] =>
  [...output.matchAll(INDEX_LINE)]
    .flatMap(([, before = '', after = '']) => [...before.split(','), after])
    .filter((id) => !/^0+$/.test(id));

export type GrepRecord = { readonly name: string; readonly line: string; readonly text: string };

/**
 * `REVISION:PATH NUL line NUL text`, with `--` between groups. A name may hold line breaks, a text may hold NUL. What
 * does not go like this is left out with all that follows.
 */
export const parseMatches = (output: string): readonly GrepRecord[] => {
  const records: GrepRecord[] = [];
  for (let at = 0; at < output.length; ) {
    const afterName = output.indexOf('\0', at);
    const afterLine = output.indexOf('\0', afterName + 1);
    const line = output.slice(afterName + 1, afterLine);
    if (afterName < 0 || afterLine < 0 || !/^\d{1,9}$/.test(line)) break;
    const feed = output.indexOf('\n', afterLine);
    const end = feed < 0 ? output.length : feed;
    const name = output.slice(at, afterName).replace(/^--\n/, '');
    records.push({ name, line, text: output.slice(afterLine + 1, end) });
    at = end + 1;
  }
  return records;
};

/** Everything that an output shows parts of, by name. */
export const namesIn = (sources: BashSources, output: string): readonly string[] => [
  ...namesOfObjects(sources.objects),
  ...(sources.patches ? namesOfPatches(output) : []),
  // A name with a line break cannot be asked for; what is said to come from it is not shown.
  ...(sources.matches ? parseMatches(output).flatMap(({ name }) => (name.includes('\n') ? [] : [name])) : []),
];

/** What must exist for its lines to be shown. Sides of a patch may be submodules, which have no content here. */
export const namesNeeded = (sources: BashSources): readonly string[] => namesOfObjects(sources.objects);
