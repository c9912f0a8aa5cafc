import { z } from 'zod';
import { cutPoint } from '../../text/cut.ts';
import { type Claim, isSameClaim } from '../../rounds/duplicates/duplicates.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';
import { type OmittedFile, WHOLE_CHANGE } from '../../vocabulary/coverage.ts';
import { bySeverity } from '../../rounds/model/blocking.ts';
import { type KeptParts, keepFindings, keepNamed, keepSummary } from './kept.ts';
import { parseLooseJson } from './loose-json.ts';
import { plainPath } from './plain-path.ts';
import { type OpenThread, readAnswers } from './read-answers.ts';
import { readFixed, readRefuted } from './read-fixed.ts';
import { readWalkthrough } from './read-walkthrough.ts';
import { readDraftFinding } from './read-finding.ts';
import {
  MAX_FINDINGS,
  MAX_SUMMARY_CHARACTERS,
  NO_SUMMARY,
  type SubmissionProblem,
  type Submission,
  tooManyFindings,
} from './submission.ts';

/** `claim` is the thread's text and place, used to recognise a finding that repeats it. */
export type ReviewedThread = OpenThread & { readonly claim: Claim };

export type SubmissionRules = {
  readonly openThreads: readonly ReviewedThread[];
  /** Threads that wait for a person and may be reported as fixed. Absent if there are none. */
  readonly settledThreads?: readonly FindingId[];
  /** Earlier claims without verified evidence, which may be refuted. Absent if there are none. */
  readonly unverified?: readonly FindingId[];
  /** The setting `rounds.duplicate_threshold`. */
  readonly duplicateThreshold: number;
};

export type ReadSubmission =
  | {
      readonly kind: 'read';
      /** The kept and the given parts together. */
      readonly submission: Submission;
      readonly given: readonly GivenFinding[];
      readonly usable: Pick<KeptParts, 'summary' | 'notReviewed'>;
      readonly problems: readonly SubmissionProblem[];
    }
  | { readonly kind: 'unreadable'; readonly reason: string };

type Fields = Readonly<Record<string, unknown>>;

const Given = z.record(z.string(), z.unknown());

const violation = (text: string): SubmissionProblem => ({ kind: 'violation', text });
const blemish = (text: string): SubmissionProblem => ({ kind: 'blemish', text });

/** Accepts a list, or a string that contains a JSON list, as models sometimes write. */
const asList = (value: unknown): readonly unknown[] | null => {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return null;
  const parsed = parseLooseJson(value);
  return parsed.kind === 'parsed' && Array.isArray(parsed.value) ? parsed.value : null;
};

const openInput = (input: unknown): { readonly fields: Fields; readonly whole: boolean } | null => {
  const parsed =
    typeof input === 'string' ? parseLooseJson(input) : ({ kind: 'parsed', value: input, whole: true } as const);
  if (parsed.kind === 'unreadable') return null;
  const given = Given.safeParse(parsed.value);
  return given.success ? { fields: unwrap(given.data), whole: parsed.whole } : null;
};

/** Names under which models put the review into another object, such as a tool call written as text. */
const WRAPPERS = 'review submission submit_review function arguments parameters args params input result output'.split(
  ' ',
);
const MAX_WRAPPERS = 3;

const isReview = (fields: Fields): boolean => 'findings' in fields || 'summary' in fields;

/** The review within the fields; the fields themselves if they have none. */
const unwrap = (fields: Fields, left = MAX_WRAPPERS): Fields => {
  if (isReview(fields) || left === 0) return fields;
  for (const name of WRAPPERS) {
    const value = fields[name];
    const parsed = typeof value === 'string' ? parseLooseJson(value) : ({ kind: 'parsed', value } as const);
    const inner = Given.safeParse(parsed.kind === 'parsed' ? parsed.value : null);
    const found = inner.success ? unwrap(inner.data, left - 1) : fields;
    if (isReview(found)) return found;
  }
  return fields;
};

/** `index`: its position in the list that the model gave. */
export type GivenFinding = { readonly index: number; readonly finding: DraftFinding };

type Findings = {
  readonly findings: readonly GivenFinding[];
  readonly omitted: readonly OmittedFile[];
  readonly problems: readonly SubmissionProblem[];
};

const readFindings = (list: readonly unknown[]): Findings => {
  const findings: GivenFinding[] = [];
  const omitted: OmittedFile[] = [];
  const problems: SubmissionProblem[] = [];
  // Bounds the work on an oversized list.
  for (const [index, value] of list.slice(0, MAX_FINDINGS * 10).entries()) {
    const read = readDraftFinding(value);
    if (read.kind === 'finding') findings.push({ index, finding: read.finding });
    else {
      const { path, reason, title, text } = read;
      problems.push(blemish(`findings[${index}]${title === '' ? '' : ` "${title}"`} (${path}): ${reason}`));
      omitted.push({ path, reason: `a finding of the model about this file could not be read: ${text}` });
    }
  }
  if (list.length <= MAX_FINDINGS) return { findings, omitted, problems };
  const kept = findings.toSorted((one, other) => bySeverity(one.finding.severity, other.finding.severity));
  problems.push(blemish(`findings: ${list.length} is too many; submit only the ${MAX_FINDINGS} most severe`));
  return {
    findings: kept.slice(0, MAX_FINDINGS),
    omitted: [...omitted.slice(0, MAX_FINDINGS), tooManyFindings(MAX_FINDINGS)],
    problems,
  };
};

const MAX_REASON = 500;

/** A long reason is cut, because the path counts. */
const NotReviewed = z.object({
  path: z.string().min(1).max(3000),
  reason: z
    .string()
    .nullish()
    .catch(null)
    .transform((reason) => reason?.slice(0, cutPoint(reason, MAX_REASON))),
});

type Omitted = { readonly omitted: readonly OmittedFile[]; readonly problems: readonly SubmissionProblem[] };

/** An entry that cannot be read still counts as something not reviewed. If the list is missing, the receipts alone count. */
const omittedIn = (value: unknown): readonly OmittedFile[] => {
  const list = asList(value ?? []) ?? [value];
  return list.slice(0, 1000).map((one) => {
    const named = NotReviewed.safeParse(typeof one === 'string' ? { path: one } : one);
    const reason = 'the reviewer reports that it did not look at this file';
    if (!named.success) return { path: '(unnamed)', reason };
    const said = named.data.reason ?? '';
    return { path: plainPath(named.data.path), reason: said.trim() === '' ? reason : said };
  });
};

type Summary = Omitted & { readonly summary: string; readonly usable: string | null };

/** A review without a summary counts as unfinished, so it is incomplete. */
const readSummary = (given: unknown, kept: KeptParts): Summary => {
  const value = keepSummary(kept.summary, typeof given === 'string' && given.trim() !== '' ? given : null);
  if (value === null) {
    return {
      summary: NO_SUMMARY,
      usable: null,
      omitted: [{ path: WHOLE_CHANGE, reason: 'the reviewer submitted no summary' }],
      problems: [blemish('summary: must be a text')],
    };
  }
  if (value.length <= MAX_SUMMARY_CHARACTERS) return { summary: value, usable: value, omitted: [], problems: [] };
  const problem = blemish(`summary: longer than ${MAX_SUMMARY_CHARACTERS} characters`);
  return { summary: value.slice(0, MAX_SUMMARY_CHARACTERS), usable: null, omitted: [], problems: [problem] };
};

const claimOf = (finding: DraftFinding): Claim => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

/** The open thread that already reports the same problem. */
export const repeatedThread = (
  finding: DraftFinding,
  { openThreads, duplicateThreshold }: Pick<SubmissionRules, 'openThreads' | 'duplicateThreshold'>,
): ReviewedThread | undefined =>
  openThreads.find(({ claim }) => isSameClaim(claimOf(finding), claim, duplicateThreshold));

/**
 * Reads Fixpoint's shape (`findings`, …) and the plain shape (`comments` of path, line, body). An empty review inside prose
 * is refused, because it may be a quotation.
 */
export const readSubmission = (
  input: unknown,
  rules: SubmissionRules,
  kept: KeptParts | null = null,
): ReadSubmission => {
  const opened = openInput(input);
  if (opened === null)
    return { kind: 'unreadable', reason: 'your answer contains no review: call submit_review with an object' };
  const { fields, whole } = opened;
  // If no finding was kept, a correction must contain a list: otherwise it would count as a review without findings
  // that nobody submitted.
  const isRest = kept !== null && kept.findings.length > 0;
  const list = asList(fields['findings'] ?? fields['comments'] ?? (isRest ? [] : undefined));
  if (list === null) return { kind: 'unreadable', reason: 'findings: must be a list, empty if there are none' };
  if (!whole && list.length === 0) {
    return { kind: 'unreadable', reason: 'a review without findings must be submitted with submit_review' };
  }
  return readFields(fields, list, { rules, kept });
};

const NOTHING_KEPT: KeptParts = { summary: null, findings: [], answers: [], fixed: [], refuted: [], notReviewed: [] };

type Reading = { readonly rules: SubmissionRules; readonly kept: KeptParts | null };

const readFields = (fields: Fields, list: readonly unknown[], { rules, kept: before }: Reading): ReadSubmission => {
  const kept = before ?? NOTHING_KEPT;
  const read = readFindings(list);
  const given = read.findings.map(({ finding }) => finding);
  const summary = readSummary(fields['summary'], kept);
  const answers = readAnswers(fields['answers'], rules.openThreads, kept.answers);
  const notReviewed = [...kept.notReviewed, ...omittedIn(fields['not_reviewed'])];
  const walkthrough = readWalkthrough(asList(fields['walkthrough']));
  const lines = walkthrough.length === 0 ? (kept.walkthrough ?? []) : walkthrough;
  const fixed = readFixed(fields['fixed'], rules.settledThreads ?? []);
  const refuted = readRefuted(fields['refuted'], rules.unverified ?? []);
  const allFixed = keepNamed(kept.fixed, fixed.fixed);
  const allRefuted = keepNamed(kept.refuted, refuted.refuted);
  return {
    kind: 'read',
    given: read.findings,
    usable: { summary: summary.usable, notReviewed },
    submission: {
      summary: summary.summary,
      ...(lines.length === 0 ? {} : { walkthrough: lines }),
      findings: [...keepFindings(kept.findings, given)].slice(0, MAX_FINDINGS),
      answers: [...answers.answers],
      ...(allFixed.length === 0 ? {} : { fixed: [...allFixed] }),
      ...(allRefuted.length === 0 ? {} : { refuted: [...allRefuted] }),
      omitted: [...read.omitted, ...summary.omitted],
      ...(notReviewed.length === 0 ? {} : { notReviewed }),
    },
    problems: [
      ...answers.problems.map(violation),
      ...summary.problems,
      ...read.problems,
      ...[...answers.inVain, ...fixed.problems, ...refuted.problems].map(blemish),
    ],
  };
};
