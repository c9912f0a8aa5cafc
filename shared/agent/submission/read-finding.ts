/**
 * Reads one finding from a model. The finding has all of Fixpoint's fields, or only path, line and body; the defaults
 * below replace the others.
 */
import { z } from 'zod';
import { DraftFinding, MAX_QUOTES, Relation } from '../../vocabulary/finding.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import { cutPoint, cutWithNotice } from '../../text/cut.ts';
import { titled } from './finding-title.ts';
import {
  GivenBoolean,
  GivenFirstLine,
  GivenLine,
  GivenPath,
  GivenSeverity,
  GivenSide,
  readRange,
} from './given-values.ts';
import { plainPath } from './plain-path.ts';
import { MAX_BODY_CHARACTERS } from './submission.ts';

const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');

const MAX_EVIDENCE = 4000;

const cutCode = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, cutPoint(value, MAX_EVIDENCE)) : value;

/** Quoted code from this or another place: `{path, line, code}`, or the code alone. */
const GivenQuote = z.preprocess(
  (value) => (typeof value === 'string' ? { code: value } : withNames(value, QUOTE_NAMES)),
  z.object({
    path: GivenPath.nullish(),
    line: GivenFirstLine.nullish(),
    code: z.preprocess(cutCode, z.string()),
  }),
);
const GivenEvidence = z.preprocess((value) => {
  if (value === null || value === undefined) return value;
  return (Array.isArray(value) ? value : [value]).slice(0, MAX_QUOTES + 1);
}, z.array(GivenQuote).nullish());

type Names = Readonly<Record<string, string>>;

/** Other names that models use for our fields. */
const FINDING_NAMES: Names = {
  file: 'path',
  file_path: 'path',
  end_line: 'line',
  message: 'body',
  description: 'body',
  quote: 'evidence',
};
const QUOTE_NAMES: Names = { file: 'path', file_path: 'path', start_line: 'line', quote: 'code', text: 'code' };

/** Renames fields where our own name is missing. */
const withNames = (value: unknown, names: Names): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: Record<string, unknown> = { ...value };
  for (const [other, own] of Object.entries(names)) fields[own] ??= fields[other];
  return fields;
};

/** Reads `"line": "9-12"` as a range. Without a line, the place of the first quote counts. */
const withLines = (value: unknown): unknown => {
  const fields = withNames(value, FINDING_NAMES);
  if (typeof fields !== 'object' || fields === null || !('line' in fields)) return fields;
  const range = readRange(fields.line);
  return range === null ? fields : { ...fields, start_line: range[0], line: range[1] };
};

const GivenFinding = z.object({
  path: GivenPath.pipe(
    z.string().min(1).max(3000).refine(isInside, { message: 'must be a path inside the repository' }),
  ),
  line: GivenLine.nullish(),
  body: z
    .string()
    .refine((body) => body.trim() !== '', { message: 'must not be empty' })
    .transform((body) => cutWithNotice(body, MAX_BODY_CHARACTERS, (piece) => piece)),
  start_line: GivenLine.nullish(),
  side: GivenSide.nullish(),
  severity: GivenSeverity.nullish(),
  // The relation follows from the diff, so an unknown word is ignored.
  relation: Relation.nullish().catch(null),
  title: z.string().nullish(),
  evidence: GivenEvidence,
  suggestion: z.string().max(8000).nullish(),
  blocking: GivenBoolean.nullish(),
});
type GivenFinding = z.output<typeof GivenFinding>;

type Evidence = Pick<DraftFinding, 'evidence' | 'quotes'>;

type GivenQuote = z.output<typeof GivenQuote>;

const withoutPrefix = (path: string): string => path.replace(/^[ab]\//, '');

/** The quote from the finding's own file that is closest to its line; null if there is none. */
const ownQuote = ({ path, line, evidence }: GivenFinding): GivenQuote | null => {
  const all = evidence ?? [];
  const exact = all.filter((quote) => (quote.path ?? path) === path);
  const own = exact.length > 0 ? exact : all.filter((quote) => withoutPrefix(quote.path ?? '') === withoutPrefix(path));
  const distance = (quote: GivenQuote): number => Math.abs((quote.line ?? line ?? 0) - (line ?? 0));
  return own.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
};

/**
 * The finding's own quote is the evidence; the others are supporting quotes. If it has no own quote, the first quote is
 * used for both.
 */
const evidenceOf = (given: GivenFinding): Evidence => {
  const { path, evidence } = given;
  const own = ownQuote(given);
  const others = (evidence ?? []).filter((quote) => quote !== own);
  const quotes = others
    .slice(0, MAX_QUOTES)
    .map(({ path: at, line, code }) => ({ path: at ?? path, line: line ?? null, code }));
  return { evidence: own?.code ?? others[0]?.code ?? '', ...(quotes.length === 0 ? {} : { quotes }) };
};

type Lines = Pick<DraftFinding, 'startLine' | 'line'>;

/** A range may be given backwards. */
const linesOf = (given: GivenFinding): Lines | null => {
  const line = given.line ?? ownQuote(given)?.line ?? null;
  if (line === null) return null;
  const start = given.start_line ?? line;
  return { startLine: Math.min(start, line), line: Math.max(start, line) };
};

/** Drops the final line break, because forges add one. Only lines of the new side can be replaced. */
const suggestionOf = ({ suggestion, side }: GivenFinding): string | null =>
  side === 'old' ? null : (suggestion?.replaceAll('\r\n', '\n').replace(/\n$/, '') ?? null);

/** Fills in defaults. A P2 blocks only if the model says so. A finding without a severity becomes a blocking P2. */
const complete = (given: GivenFinding, lines: Lines): unknown => ({
  path: given.path,
  ...lines,
  side: given.side ?? 'new',
  severity: given.severity ?? 'P2',
  relation: given.relation ?? 'current_diff',
  ...titled(given.title ?? '', given.body),
  ...evidenceOf(given),
  suggestion: suggestionOf(given),
  blocking: given.blocking ?? (given.severity ?? null) === null,
  rule: null,
});

export type ReadDraftFinding =
  | { readonly kind: 'finding'; readonly finding: DraftFinding }
  | {
      readonly kind: 'bad';
      readonly reason: string;
      readonly path: string;
      readonly title: string;
      /** The readable text of the finding, which is shown so that it is not lost. */
      readonly text: string;
    };

const reasonOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 4)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');

const Shown = z.object({
  path: z.string().catch(''),
  title: z.string().catch(''),
  body: z.string().catch(''),
});

const MAX_SHOWN = 1_000;

const badFinding = (value: unknown, reason: string): ReadDraftFinding => {
  const { path, title, body } = Shown.safeParse(value).data ?? { path: '', title: '', body: '' };
  const said = [title.trim(), body.trim()].filter((text) => text !== '').join(': ');
  const text = said === '' ? (JSON.stringify(value) ?? '') : said;
  return {
    kind: 'bad',
    reason,
    path: plainPath(path).slice(0, 300) || '(no path)',
    title: title.trim().slice(0, 80),
    text: collapseBlanks(text.slice(0, cutPoint(text, MAX_SHOWN))),
  };
};

export const readDraftFinding = (value: unknown): ReadDraftFinding => {
  const named = withLines(value);
  const bad = (reason: string): ReadDraftFinding => badFinding(named, reason);
  const given = GivenFinding.safeParse(named);
  if (!given.success) return bad(reasonOf(given.error));
  const lines = linesOf(given.data);
  if (lines === null) return bad('line: must be a line number');
  const finding = DraftFinding.safeParse(complete(given.data, lines));
  if (!finding.success) return bad(reasonOf(finding.error));
  return { kind: 'finding', finding: finding.data };
};
