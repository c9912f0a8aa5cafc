/** Reads one finding from a model. It has all of Fixpoint's fields, or only path, line and body and the defaults below. */
import { z } from 'zod';
import { DraftFinding, MAX_QUOTES, Relation, Severity } from '../../vocabulary/finding.ts';
import { cutPoint } from '../../text/cut.ts';
import { MAX_BODY_CHARACTERS } from './submission.ts';

/** Models sometimes write numbers as strings; only whole numbers are accepted. */
const Line = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
  z.int().positive().max(10_000_000),
);

const SIDES: Readonly<Record<string, string>> = { RIGHT: 'new', LEFT: 'old' };
const Side = z.preprocess(
  (value) => (typeof value === 'string' ? (SIDES[value] ?? value) : value),
  z.enum(['new', 'old']),
);

const SEVERITIES: Readonly<Record<string, string>> = {
  critical: 'P0',
  blocker: 'P0',
  high: 'P1',
  major: 'P1',
  medium: 'P2',
  moderate: 'P2',
  low: 'P3',
  minor: 'P3',
  nit: 'P3',
};
const GivenSeverity = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  return SEVERITIES[word] ?? (/^p[0-3]$/.test(word) ? word.toUpperCase() : value);
}, Severity);

const GivenPath = z.preprocess((value) => (typeof value === 'string' ? plainPath(value) : value), z.string());

const plainPath = (path: string): string => {
  const [, , unquoted = path.trim()] = /^([`'"])(.*)\1$/.exec(path.trim()) ?? [];
  return unquoted.replace(/^(?:\.\/+)+/, '');
};

const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');

const MAX_EVIDENCE = 4000;

/** Quoted code from this or another place: `{path, line, code}`, or the code alone. */
const GivenQuote = z.preprocess(
  (value) => (typeof value === 'string' ? { code: value } : value),
  z.object({ path: GivenPath.nullish(), line: Line.nullish(), code: z.string().max(MAX_EVIDENCE) }),
);
const GivenEvidence = z.preprocess(
  (value) => (Array.isArray(value) || value === null || value === undefined ? value : [value]),
  z
    .array(GivenQuote)
    .max(MAX_QUOTES + 1)
    .nullish(),
);

const RANGE = /^\s*(\d{1,9})\s*[-–]\s*(\d{1,9})\s*$/;

/** Reads `"line": "9-12"` as a range. */
const withRange = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('line' in value) || typeof value.line !== 'string') return value;
  const [, first, last] = RANGE.exec(value.line) ?? [];
  return first === undefined ? value : { ...value, start_line: first, line: last };
};

const GivenFinding = z.object({
  path: GivenPath.pipe(
    z.string().min(1).max(3000).refine(isInside, { message: 'must be a path inside the repository' }),
  ),
  line: Line,
  body: z
    .string()
    .max(MAX_BODY_CHARACTERS)
    .refine((body) => body.trim() !== '', { message: 'must not be empty' }),
  start_line: Line.nullish(),
  side: Side.nullish(),
  severity: GivenSeverity.nullish(),
  relation: Relation.nullish(),
  title: z.string().nullish(),
  evidence: GivenEvidence,
  suggestion: z.string().max(8000).nullish(),
  blocking: z.boolean().nullish(),
});
type GivenFinding = z.output<typeof GivenFinding>;

const TITLE_CHARACTERS = 120;
const MAX_TITLE = 200;

const cutTitle = (title: string): string =>
  title.length <= MAX_TITLE ? title : `${title.slice(0, cutPoint(title, MAX_TITLE - 1)).trimEnd()}…`;

const titleFrom = (body: string): string => {
  const [line = ''] = body.trim().split('\n');
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= TITLE_CHARACTERS ? sentence : `${sentence.slice(0, TITLE_CHARACTERS - 1).trimEnd()}…`;
};

type Evidence = Pick<DraftFinding, 'evidence' | 'quotes'>;

/** The first quote from the finding's own file is its evidence. The others are supporting quotes. */
const evidenceOf = ({ path, evidence }: GivenFinding): Evidence => {
  const all = evidence ?? [];
  const own = all.find((quote) => (quote.path ?? path) === path);
  const others = all.filter((quote) => quote !== own);
  const quotes = others.map(({ path: at, line, code }) => ({ path: at ?? path, line: line ?? null, code }));
  return { evidence: own?.code ?? '', ...(quotes.length === 0 ? {} : { quotes }) };
};

/** Drops the final line break, because forges add one. Only lines of the new side can be replaced. */
const suggestionOf = ({ suggestion, side }: GivenFinding): string | null =>
  side === 'old' ? null : (suggestion?.replaceAll('\r\n', '\n').replace(/\n$/, '') ?? null);

/** Fills in defaults. A P2 blocks only if the model says so. A finding without a severity becomes a blocking P2. */
const complete = (given: GivenFinding): unknown => ({
  path: given.path,
  line: given.line,
  startLine: given.start_line ?? given.line,
  side: given.side ?? 'new',
  severity: given.severity ?? 'P2',
  relation: given.relation ?? 'current_diff',
  title: given.title?.trim() ? cutTitle(given.title.trim()) : titleFrom(given.body),
  body: given.body,
  ...evidenceOf(given),
  suggestion: suggestionOf(given),
  blocking: given.blocking ?? (given.severity ?? null) === null,
  rule: null,
});

export type ReadDraftFinding =
  | { readonly kind: 'finding'; readonly finding: DraftFinding }
  | { readonly kind: 'bad'; readonly reason: string; readonly path: string };

const reasonOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 4)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');

const pathOf = (value: unknown): string => {
  const path = typeof value === 'object' && value !== null && 'path' in value ? value.path : null;
  return typeof path === 'string' && path !== '' ? path.slice(0, 300) : '(no path)';
};

export const readDraftFinding = (value: unknown): ReadDraftFinding => {
  const bad = (reason: string): ReadDraftFinding => ({ kind: 'bad', reason, path: pathOf(value) });
  const given = GivenFinding.safeParse(withRange(value));
  if (!given.success) return bad(reasonOf(given.error));
  const finding = DraftFinding.safeParse(complete(given.data));
  if (!finding.success) return bad(reasonOf(finding.error));
  return { kind: 'finding', finding: finding.data };
};
