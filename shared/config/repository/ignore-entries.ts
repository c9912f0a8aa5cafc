/** The `[[ignore]]` entries of `.fixpoint.toml`: findings that the project does not want reported. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  IGNORABLE_RULE,
  type IgnoredClaim,
  isSecretRule,
  MAX_IGNORE_REASON,
  type ProjectIgnores,
} from '../../vocabulary/ignores.ts';
import { describeIssue } from '../describe-issue.ts';
import { settingPath } from '../text/key-case.ts';
import { nearestWord } from '../text/suggest.ts';
import { PathPattern } from '../values.ts';

export const MAX_IGNORES = 50;

const isWebAddress = (text: string): boolean =>
  /^https?:\/\/[^\s\p{Cc}]{1,2000}$/u.test(text) && URL.canParse(text) && new URL(text).username === '';

const isDay = (text: string): boolean => {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};

const isLine = (text: string): boolean => text.trim() !== '' && !/\p{Cc}/u.test(text);

const DAY = 'expected a date such as "2026-12-31"';

const ENTRY_KEYS = {
  rule: z.string().regex(IGNORABLE_RULE, 'expected the id of a rule, such as "js-eval" or "eslint/no-eval"'),
  fingerprint: z.string().regex(/^[0-9a-f]{8,128}$/, 'expected the hexadecimal digits of a fingerprint'),
  path: PathPattern,
  reason: z.string().max(MAX_IGNORE_REASON).refine(isLine, { message: 'expected a reason on one line' }),
  thread: z.string().refine(isWebAddress, { message: 'expected the http(s) URL of a thread' }),
  until: z.string({ error: DAY }).refine(isDay, { message: DAY }),
};
const { rule, fingerprint, path, reason, thread, until } = ENTRY_KEYS;

const Entry = z
  .strictObject({
    rule: rule.optional(),
    fingerprint: fingerprint.optional(),
    path,
    reason,
    thread: thread.optional(),
    until: until.optional(),
  })
  .refine((entry) => (entry.rule === undefined) !== (entry.fingerprint === undefined), {
    message: 'expected either `rule` or `fingerprint`',
  });

/** One entry as the file contains it. */
export const IgnoreEntry = z.object({
  id: z.string(),
  /** The entry's index among all entries of the file, including malformed ones, counted from 0. */
  index: z.number().int().nonnegative(),
  rule: rule.nullable(),
  fingerprint: fingerprint.nullable(),
  path,
  reason,
  /** Link to the thread in which the entry was decided. */
  thread: thread.nullable(),
  /** The last day, in UTC, on which the entry applies. Null if it never expires. */
  until: until.nullable(),
});
export type IgnoreEntry = z.output<typeof IgnoreEntry>;

const identityOf = (claim: Omit<IgnoredClaim, 'id'>): string =>
  createHash('sha256')
    .update(JSON.stringify([claim.rule, claim.fingerprint, claim.path]))
    .digest('hex')
    .slice(0, 16);

export type IgnoreReading = {
  readonly entries: readonly IgnoreEntry[];
  /** Notes are rendered only when they are shown, because a file can cause thousands of them. They never quote values. */
  readonly notes: readonly (() => string)[];
};

/** A malformed entry is left out, with a note. `value`: what the file contains for `ignore`. */
export const readIgnores = (value: unknown): IgnoreReading => {
  if (!Array.isArray(value)) return { entries: [], notes: [() => '`ignore` is not a list: write `[[ignore]]`'] };
  const entries: IgnoreEntry[] = [];
  const notes: (() => string)[] = [];
  for (const [index, given] of value.entries()) {
    if (index >= MAX_IGNORES) {
      notes.push(() => `\`ignore\` has more than ${MAX_IGNORES} entries; the others have no effect`);
      break;
    }
    const parsed = Entry.safeParse(given);
    if (parsed.success) entries.push(entryOf(parsed.data, index));
    else notes.push(() => noteOf(index, parsed.error));
  }
  return { entries, notes };
};

const entryOf = (given: z.output<typeof Entry>, index: number): IgnoreEntry => {
  const claim = { rule: given.rule ?? null, fingerprint: given.fingerprint ?? null, path: given.path };
  const { reason: why, thread: where = null, until: end = null } = given;
  return { id: identityOf(claim), index, ...claim, reason: why, thread: where, until: end };
};

const nameOf = (index: number): string => settingPath(['ignore', index]);

const noteOf = (index: number, { issues }: z.core.$ZodError): string => {
  const [issue] = issues;
  return `\`${nameOf(index)}\` has no effect (${issue === undefined ? 'it has an unexpected form' : mistakeOf(issue)})`;
};

const mistakeOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys') {
    const nearest = issue.keys.map((key) => nearestWord(key, Object.keys(ENTRY_KEYS))).find((word) => word !== null);
    return `it has a key that is not a setting${nearest === undefined ? '' : `; did you mean \`${nearest}\`?`}`;
  }
  if (issue.path.length === 0) return issue.message;
  return describeIssue(issue)[0] ?? 'it has an unexpected form';
};

export type IgnoreTerms = {
  readonly which: ProjectIgnores;
  readonly nowMs: number;
  /** Hosts to which thread links must point. Null in a review without a forge: then any host is accepted. */
  readonly forgeUrls: readonly string[] | null;
  readonly isRule: (id: string) => boolean;
};

const DAY_MS = 24 * 3600 * 1000;

const isOver = ({ until: end }: IgnoreEntry, nowMs: number): boolean =>
  end !== null && nowMs >= Date.parse(`${end}T00:00:00Z`) + DAY_MS;

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);

const isElsewhere = ({ thread: link }: IgnoreEntry, forgeUrls: readonly string[] | null): boolean =>
  link !== null && forgeUrls !== null && !forgeUrls.map(hostOf).includes(hostOf(link));

/** Returns null if the entry has an effect. */
export const whyWithoutEffect = (
  entry: IgnoreEntry,
  { which, nowMs, forgeUrls, isRule }: IgnoreTerms,
): string | null => {
  if (entry.rule !== null && isSecretRule(entry.rule)) return 'secrets are always reported';
  if (entry.rule !== null && !isRule(entry.rule)) return 'no rule has this id';
  if (isOver(entry, nowMs)) return `it expired on ${entry.until}`;
  if (isElsewhere(entry, forgeUrls)) return 'its `thread` is not a URL of this forge';
  return which === 'off' ? 'the operator does not allow this entry (`review.project_ignores`)' : null;
};

export type IgnoresInForce = {
  readonly claims: readonly IgnoredClaim[];
  /** One note for each entry without an effect. */
  readonly notes: readonly string[];
};

export const ignoresInForce = (entries: readonly IgnoreEntry[], terms: IgnoreTerms): IgnoresInForce => {
  const claims: IgnoredClaim[] = [];
  const notes: string[] = [];
  for (const entry of entries) {
    const why = whyWithoutEffect(entry, terms);
    if (why !== null) notes.push(`\`${nameOf(entry.index)}\` has no effect: ${why}`);
    else if (!claims.some(({ id }) => id === entry.id)) {
      const { id, rule: named, fingerprint: print, path: where } = entry;
      claims.push({ id, rule: named, fingerprint: print, path: where });
    }
  }
  return { claims, notes };
};
