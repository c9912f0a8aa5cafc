import { z } from 'zod';
import { type Claim, isSameClaim } from '../../rounds/duplicates/duplicates.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';
import { parseLooseJson } from './loose-json.ts';
import { type OpenThread, readAnswers } from './read-answers.ts';
import { readFixed, readRefuted } from './read-fixed.ts';
import { readWalkthrough } from './read-walkthrough.ts';
import { readDraftFinding } from './read-finding.ts';
import { MAX_FINDINGS, MAX_SUMMARY_CHARACTERS, type SubmissionProblem, type Submission } from './submission.ts';

/** `claim` is what the thread says, so that a finding that repeats it is recognised. */
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
  | { readonly kind: 'read'; readonly submission: Submission; readonly problems: readonly SubmissionProblem[] }
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
  return given.success ? { fields: given.data, whole: parsed.whole } : null;
};

type Findings = {
  readonly findings: readonly DraftFinding[];
  readonly omitted: readonly OmittedFile[];
  readonly problems: readonly SubmissionProblem[];
};

const readFindings = (list: readonly unknown[]): Findings => {
  const findings: DraftFinding[] = [];
  const omitted: OmittedFile[] = [];
  const problems: SubmissionProblem[] = [];
  // Bounds the work on an oversized list.
  for (const [index, value] of list.slice(0, MAX_FINDINGS * 10).entries()) {
    const read = readDraftFinding(value);
    if (read.kind === 'finding') findings.push(read.finding);
    else {
      problems.push(blemish(`findings[${index}] (${read.path}): ${read.reason}`));
      omitted.push({ path: read.path, reason: 'a finding of the model about this file could not be read' });
    }
  }
  if (list.length <= MAX_FINDINGS) return { findings, omitted, problems };
  const kept = findings.toSorted((one, other) =>
    one.severity < other.severity ? -1 : Number(one.severity > other.severity),
  );
  problems.push(blemish(`findings: ${list.length} is too many; submit only the ${MAX_FINDINGS} most severe`));
  const rest = {
    path: '(several files)',
    reason: `more than ${MAX_FINDINGS} findings; the least severe are not reported`,
  };
  return { findings: kept.slice(0, MAX_FINDINGS), omitted: [...omitted.slice(0, MAX_FINDINGS), rest], problems };
};

const NotReviewed = z.object({ path: z.string().min(1).max(3000), reason: z.string().max(500).nullish() });

type Omitted = { readonly omitted: readonly OmittedFile[]; readonly problems: readonly SubmissionProblem[] };

const WHOLE = '(the whole change)';

/** A missing `not_reviewed` does not mean that everything was reviewed. Only the plain shape (`comments`) lacks the field. */
const readOmitted = (fields: Fields): Omitted => {
  const value = fields['not_reviewed'] ?? null;
  if (value === null && fields['findings'] === undefined) return { omitted: [], problems: [] };
  if (value !== null) return { omitted: omittedIn(value), problems: [] };
  return {
    omitted: [{ path: WHOLE, reason: 'the reviewer did not report what it looked at' }],
    problems: [blemish('not_reviewed: must be a list, empty if you reviewed every file of the change')],
  };
};

/** An entry that cannot be read still counts as something not reviewed. */
const omittedIn = (value: unknown): readonly OmittedFile[] => {
  const list = asList(value) ?? [value];
  return list.slice(0, 1000).map((one) => {
    const named = NotReviewed.safeParse(typeof one === 'string' ? { path: one } : one);
    const reason = 'the reviewer reports that it did not look at this file';
    if (!named.success) return { path: '(unnamed)', reason };
    return { path: named.data.path, reason: named.data.reason?.trim() ? named.data.reason : reason };
  });
};

/** A review without a summary counts as unfinished, so it is incomplete. */
const readSummary = (value: unknown): Omitted & { readonly summary: string } => {
  if (typeof value !== 'string' || value.trim() === '') {
    return {
      summary: 'The reviewer gave no summary.',
      omitted: [{ path: WHOLE, reason: 'the reviewer submitted no summary' }],
      problems: [blemish('summary: must be a text')],
    };
  }
  if (value.length <= MAX_SUMMARY_CHARACTERS) return { summary: value, omitted: [], problems: [] };
  const problem = blemish(`summary: longer than ${MAX_SUMMARY_CHARACTERS} characters`);
  return { summary: value.slice(0, MAX_SUMMARY_CHARACTERS), omitted: [], problems: [problem] };
};

const claimOf = (finding: DraftFinding): Claim => ({
  place: finding,
  title: finding.title,
  body: finding.body,
  citedCode: finding.evidence,
});

/** True if an open thread already says what the finding says. The gate drops such a finding and records why. */
export const repeatsThread = (finding: DraftFinding, rules: SubmissionRules): boolean =>
  rules.openThreads.some(({ claim }) => isSameClaim(claimOf(finding), claim, rules.duplicateThreshold));

/**
 * Reads Fixpoint's shape (`findings`, …) and the plain shape (`comments` of path, line, body). An empty review inside prose
 * is refused, because it may be a quotation.
 */
export const readSubmission = (input: unknown, rules: SubmissionRules): ReadSubmission => {
  const opened = openInput(input);
  if (opened === null)
    return { kind: 'unreadable', reason: 'your answer contains no review: call submit_review with an object' };
  const { fields, whole } = opened;
  const list = asList(fields['findings'] ?? fields['comments']);
  if (list === null) return { kind: 'unreadable', reason: 'findings: must be a list, empty if there are none' };
  if (!whole && list.length === 0) {
    return { kind: 'unreadable', reason: 'a review without findings must be submitted with submit_review' };
  }
  const read = readFindings(list);
  const summary = readSummary(fields['summary']);
  const answers = readAnswers(fields['answers'], rules.openThreads);
  const left = readOmitted(fields);
  const walkthrough = readWalkthrough(asList(fields['walkthrough']));
  const { fixed, problems } = readFixed(fields['fixed'], rules.settledThreads ?? []);
  const { refuted, problems: inVain } = readRefuted(fields['refuted'], rules.unverified ?? []);
  return {
    kind: 'read',
    submission: {
      summary: summary.summary,
      ...(walkthrough.length === 0 ? {} : { walkthrough }),
      findings: [...read.findings],
      answers: [...answers.answers],
      ...(fixed.length === 0 ? {} : { fixed: [...fixed] }),
      ...(refuted.length === 0 ? {} : { refuted: [...refuted] }),
      omitted: [...read.omitted, ...summary.omitted, ...left.omitted],
    },
    problems: [
      ...answers.problems.map(violation),
      ...summary.problems,
      ...left.problems,
      ...read.problems,
      ...[...answers.inVain, ...problems, ...inVain].map(blemish),
    ],
  };
};
