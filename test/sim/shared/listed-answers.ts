/** Checks a simulator's real answers against its `PROOF.md`, for those that the scan of the source misses. */
import { readFileSync } from 'node:fs';
import { readDocument } from './proof-document.ts';

/** Returns problems with an answer; empty when its status is listed for this forge. */
export type ListedAnswers = (route: string, status: number) => readonly string[];

const NO_SUCH = '—';

const statusesOf = (rows: ReadonlyMap<string, readonly string[]>, forge: number): readonly number[] =>
  [...rows].filter(([, cells]) => cells[forge] !== NO_SUCH).map(([row]) => Number(row.slice(0, 3)));

const readAnswers = (file: URL, forge: number): ListedAnswers => {
  const { entries, forges } = readDocument(readFileSync(file, 'utf8'));
  const passes = new Map(entries.map((entry) => [entry.heading, entry.passes]));
  const statuses = new Map(entries.map(({ heading, rows }) => [heading, statusesOf(rows, forge)]));
  return (route, status) => {
    const headings = ['Every request', route, ...(passes.get(route) ?? [])];
    if (headings.some((heading) => statuses.get(heading)?.includes(status) === true)) return [];
    return [`${route}: PROOF.md does not list ${status} for ${forges[forge] ?? 'this forge'}`];
  };
};

const kept = new Map<string, ListedAnswers>();

/** `forge`: the column. The file is read once per process. */
export const listedAnswers = (file: URL, forge: number): ListedAnswers => {
  const key = `${file.href} ${forge}`;
  const answers = kept.get(key) ?? readAnswers(file, forge);
  kept.set(key, answers);
  return answers;
};
