import { z } from 'zod';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { Refutation, ReportedFix } from '../../vocabulary/finding.ts';
import { named } from './read-answers.ts';

const GivenFix = z.object({ evidence: z.string().max(4000) });

export type ReadFixed = { readonly fixed: readonly ReportedFix[]; readonly problems: readonly string[] };
export type ReadRefuted = { readonly refuted: readonly Refutation[]; readonly problems: readonly string[] };

/** Invalid entries are dropped and reported as problems. Their threads keep waiting for a person. */
export const readFixed = (given: unknown, settled: readonly FindingId[]): ReadFixed => {
  const { quoted, problems } = readQuoted(given, settled, { field: 'fixed', what: 'a thread that waits for a person' });
  return { fixed: quoted.map((each) => ({ ...each, rule: null })), problems };
};

export const readRefuted = (given: unknown, unverified: readonly FindingId[]): ReadRefuted => {
  const { quoted, problems } = readQuoted(given, unverified, { field: 'refuted', what: 'an unverified claim' });
  return { refuted: quoted, problems };
};

type Quoted = { readonly quoted: readonly Refutation[]; readonly problems: readonly string[] };

const readQuoted = (
  given: unknown,
  wanted: readonly FindingId[],
  { field, what }: { readonly field: string; readonly what: string },
): Quoted => {
  const entries = named(given);
  if (entries === null) return { quoted: [], problems: [`${field}: must be a list with one entry per id`] };
  const quoted: Refutation[] = [];
  const problems: string[] = [];
  for (const { id, value } of entries) {
    const findingId = wanted.find((each) => each === id);
    const fix = GivenFix.safeParse(value);
    if (findingId === undefined) problems.push(`${field}: ${id} is not ${what}`);
    else if (quoted.some((each) => each.findingId === findingId)) problems.push(`${field}: ${id} is named twice`);
    else if (fix.success) quoted.push({ findingId, evidence: fix.data.evidence });
    else problems.push(`${field}: ${id}: evidence must be a text of at most 4000 characters`);
  }
  return { quoted, problems: problems.slice(0, 10) };
};
