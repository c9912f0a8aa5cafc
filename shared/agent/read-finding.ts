/** One finding as a model writes it: our fields, or only the three of the plain shape with the defaults below. */
import { z } from 'zod';
import { DraftFinding, Relation, Severity } from '../rounds/vocabulary.ts';
import { MAX_BODY_CHARACTERS } from './submission.ts';

/** Models write numbers as text now and then; anything else but a whole number is refused. */
const Line = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
  z.int().positive().max(10_000_000),
);

const SIDES: Readonly<Record<string, string>> = { RIGHT: 'new', LEFT: 'old' };
const Side = z.preprocess(
  (value) => (typeof value === 'string' ? (SIDES[value] ?? value) : value),
  z.enum(['new', 'old']),
);

const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');

const GivenFinding = z.object({
  path: z.string().min(1).max(3000).refine(isInside, { message: 'must be a path inside the repository' }),
  line: Line,
  body: z
    .string()
    .max(MAX_BODY_CHARACTERS)
    .refine((body) => body.trim() !== '', { message: 'must not be empty' }),
  start_line: Line.nullish(),
  side: Side.nullish(),
  severity: Severity.nullish(),
  relation: Relation.nullish(),
  title: z.string().max(200).nullish(),
  evidence: z.string().max(4000).nullish(),
  suggestion: z.string().max(8000).nullish(),
  blocking: z.boolean().nullish(),
});
type GivenFinding = z.output<typeof GivenFinding>;

const TITLE_CHARACTERS = 120;

/** The first sentence, or as much of it as a title holds. */
const titleFrom = (body: string): string => {
  const [line = ''] = body.trim().split('\n');
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= TITLE_CHARACTERS ? sentence : `${sentence.slice(0, TITLE_CHARACTERS - 1).trimEnd()}…`;
};

/**
 * The defaults of what a model leaves out. A claim without a severity is a P2 that blocks: silence about how bad it is
 * must not let it pass.
 */
const complete = (given: GivenFinding): unknown => ({
  path: given.path,
  line: given.line,
  startLine: given.start_line ?? given.line,
  side: given.side ?? 'new',
  severity: given.severity ?? 'P2',
  relation: given.relation ?? 'current_diff',
  title: given.title?.trim() ? given.title.trim() : titleFrom(given.body),
  body: given.body,
  evidence: given.evidence ?? '',
  suggestion: given.suggestion ?? null,
  blocking: given.blocking ?? given.severity !== 'P3',
  rule: null,
});

export type ReadFinding =
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

export const readFinding = (value: unknown): ReadFinding => {
  const bad = (reason: string): ReadFinding => ({ kind: 'bad', reason, path: pathOf(value) });
  const given = GivenFinding.safeParse(value);
  if (!given.success) return bad(reasonOf(given.error));
  const finding = DraftFinding.safeParse(complete(given.data));
  if (!finding.success) return bad(reasonOf(finding.error));
  const { suggestion, side } = finding.data;
  if (suggestion !== null && side === 'old') return bad('suggestion: only lines of the new side can be replaced');
  return { kind: 'finding', finding: finding.data };
};
