/** Reads, in the cage, the whole files and commits that a Bash output shows parts of, and searches them for secrets. */
import type { BashSources } from '../../workspace/bash/bash-arrange.ts';
import type { BashRunner } from '../../workspace/bash/bash-runner.ts';
import type { Protect } from '../present-result.ts';
import { findSecretLines, type SecretLines } from './secret-lines.ts';

/**
 * - `lines`: keyed by the requested name. A missing object has no entry.
 * - `too_much`: there is more than can be searched.
 */
export type SourceLines =
  | { readonly kind: 'lines'; readonly byName: ReadonlyMap<string, SecretLines> }
  | { readonly kind: 'too_much' };

/** Contract: returns the same lines for the same names, because the history does not change. */
export type ReadSources = (names: readonly string[], signal: AbortSignal) => Promise<SourceLines>;

export const MAX_SOURCES = 200;
const MAX_SOURCE_BYTES = 4 * 1024 * 1024;
const KEEP_SOURCES = 1_000;

/** Parses `git cat-file --batch` output. Returns null when the output ends early because of its size or a timeout. */
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
    // A tree holds only names, so it has no text to search for secrets.
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

/** Asks for the peeled object of a revision, because `git show` of a tag that points to a file shows the file. */
const namesOfObjects = (objects: readonly string[]): readonly string[] =>
  objects.map((object) => (object.includes(':') ? object : `${object}^{}`));

const INDEX_LINE = /\bindex ([0-9a-f]{40,64}(?:,[0-9a-f]{40,64})*)\.\.([0-9a-f]{40,64})/g;

/** The blob ids of both sides of every file in a patch. An id of zeros means that there is no file. */
const namesOfPatches = (output: string): readonly string[] =>
  [...output.matchAll(INDEX_LINE)]
    .flatMap(([, before = '', after = '']) => [...before.split(','), after])
    .filter((id) => !/^0+$/.test(id));

export type GrepRecord = { readonly name: string; readonly line: string; readonly text: string };

/** Parses `REVISION:PATH NUL line NUL text`, with `--` between groups. Stops at the first malformed record. */
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

export const namesIn = (sources: BashSources, output: string): readonly string[] => [
  ...namesOfObjects(sources.objects),
  ...(sources.patches ? namesOfPatches(output) : []),
  // `cat-file` cannot take a name with a line break; matches from such a file stay hidden.
  ...(sources.matches ? parseMatches(output).flatMap(({ name }) => (name.includes('\n') ? [] : [name])) : []),
];

/** Objects that must exist before any output is shown. A patch's blobs need not exist: a submodule has none here. */
export const namesNeeded = (sources: BashSources): readonly string[] => namesOfObjects(sources.objects);
