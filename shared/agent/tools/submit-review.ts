import {
  type DraftFinding,
  type Refutation,
  type ReportedFix,
  Severity,
  type ThreadAnswer,
} from '../../vocabulary/finding.ts';
import { SEVERAL_FILES } from '../../vocabulary/coverage.ts';
import type { ClaimToVerify } from '../../vocabulary/verification.ts';
import { SUBMIT_REVIEW } from '../build-request.ts';
import type { ToolSchema } from '../model/model.ts';
import { keptOf } from '../submission/kept-of.ts';
import type { KeptParts } from '../submission/kept.ts';
import {
  type GivenFinding,
  readSubmission,
  repeatedThread,
  type SubmissionRules,
} from '../submission/read-submission.ts';
import { MAX_FINDINGS, NO_SUMMARY, type SubmissionProblem, type Submission } from '../submission/submission.ts';
import { inputText, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';

/** `binding`: the finding must be corrected. If false, the fault is only mentioned if a correction is needed anyway. */
export type ClaimFault = { readonly text: string; readonly binding: boolean };

export type SubmitReviewOptions = SubmissionRules & {
  /** Contract: returns what is wrong with the finding's file, place or quote, or null. */
  readonly faultOf: (finding: DraftFinding, signal: AbortSignal) => Promise<ClaimFault | null>;
  /** Contract: tells whether the quote shows that the settled thread is fixed. Absent if there are no settled threads. */
  readonly isShownFixed?: (fix: ReportedFix) => Promise<boolean>;
  /** Contract: tells whether the quote is code of the claim's file. Absent if there are no unverified claims. */
  readonly isRefuted?: (refutation: Refutation) => Promise<boolean>;
  /** Contract: tells whether the answer's quote may resolve a thread whose own lines are unchanged. Absent: it may not. */
  readonly isFixedElsewhere?: (answer: ThreadAnswer) => Promise<boolean>;
  /** Contract: returns the claims of an accepted submission that are verified. Absent if claims are not verified. */
  readonly claimsOf?: (submission: Submission, signal: AbortSignal) => Promise<readonly ClaimToVerify[]>;
};

const RAW_CHARACTERS = 20_000;

type Faults = {
  readonly binding: readonly SubmissionProblem[];
  readonly others: readonly SubmissionProblem[];
  /** The findings that must be corrected. */
  readonly refused: ReadonlySet<DraftFinding>;
};

/** A finding that repeats an open thread is not posted, so the model is not asked to correct it. */
const findFaults = async (
  findings: readonly GivenFinding[],
  options: SubmitReviewOptions,
  signal: AbortSignal,
): Promise<Faults> => {
  const binding: SubmissionProblem[] = [];
  const others: SubmissionProblem[] = [];
  const refused = new Set<DraftFinding>();
  for (const { index, finding } of findings) {
    const fault = repeatedThread(finding, options) === undefined ? await options.faultOf(finding, signal) : null;
    if (fault === null) continue;
    const { title, path, line, severity } = finding;
    const text = `findings[${index}] "${title.slice(0, TITLE_CHARACTERS)}" ${path}:${line} (${severity}): ${fault.text}`;
    (fault.binding ? binding : others).push({ kind: 'blemish', text });
    if (fault.binding) refused.add(finding);
  }
  return { binding, others, refused };
};

const TITLE_CHARACTERS = 80;

/** `ids`: the findings and threads that the problems are about. */
type InVain = { readonly problems: readonly SubmissionProblem[]; readonly ids: ReadonlySet<string> };

const findUnshown = async (
  fixed: readonly ReportedFix[] = [],
  isShown: SubmitReviewOptions['isShownFixed'],
): Promise<InVain> => {
  const problems: SubmissionProblem[] = [];
  const ids = new Set<string>();
  for (const fix of fixed) {
    if ((await isShown?.(fix)) === true) continue;
    ids.add(fix.findingId);
    const text = `fixed: ${fix.findingId}: evidence must be a verbatim quote and nothing else, either of lines that changed since the hand-off or of deleted lines of the cited code; if there are no such lines, leave the finding out of fixed`;
    problems.push({ kind: 'blemish', text });
  }
  return { problems, ids };
};

/** Finds refutations and answers whose quote is no evidence. Such claims stay unverified, and such threads wait. */
const findInVain = async (
  { refuted = [], answers }: Submission,
  { isRefuted, isFixedElsewhere, openThreads }: SubmitReviewOptions,
): Promise<InVain> => {
  const texts: string[] = [];
  const ids = new Set<string>();
  for (const each of refuted) {
    if ((await isRefuted?.(each)) === true) continue;
    ids.add(each.findingId);
    texts.push(
      `refuted: ${each.findingId}: evidence must quote code of the claim's file verbatim; if there is no such quote, leave the finding out of refuted`,
    );
  }
  for (const answer of answers) {
    const isIdle = openThreads.some(({ id, idle }) => id === answer.findingId && idle === true);
    if (!isIdle || answer.action !== 'resolve' || (await isFixedElsewhere?.(answer)) === true) continue;
    ids.add(answer.findingId);
    texts.push(
      `answers: ${answer.findingId}: evidence must quote code that changed since the last reply, not a comment or prose; otherwise the thread stays open`,
    );
  }
  return { problems: texts.map((text) => ({ kind: 'blemish', text })), ids };
};

/** A string is text outside the tool call or broken JSON. Any other input is shown as JSON. */
const rawOf = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')).slice(0, RAW_CHARACTERS);

/**
 * The kept parts as an incomplete review. Null if no finding was kept, or if a thread that needs an answer has none.
 */
const restOf = (kept: KeptParts | null, { openThreads }: SubmitReviewOptions): Submission | null => {
  if (kept === null || kept.findings.length === 0) return null;
  const answered = new Set<string>(kept.answers.map(({ findingId }) => findingId));
  if (openThreads.some(({ id, required }) => required !== false && !answered.has(id))) return null;
  const { summary, findings, answers, walkthrough, fixed, refuted, notReviewed } = kept;
  return {
    summary: summary ?? NO_SUMMARY,
    ...(walkthrough === undefined ? {} : { walkthrough }),
    findings,
    answers,
    fixed,
    refuted,
    omitted: [{ path: SEVERAL_FILES, reason: 'the reviewer did not finish the correction that was asked for' }],
    notReviewed,
  };
};

const unreadable = async (
  { text, raw }: { readonly text: string; readonly raw: string },
  { options, kept }: Submitting,
  signal: AbortSignal,
): Promise<ToolResult> => {
  const fallback = restOf(kept, options);
  const fallbackClaims = await claimsIn(fallback, options, signal);
  const problems = [{ kind: 'violation' as const, text }];
  return { kind: 'refused', problems, fallback, fallbackClaims, kept, unreadable: raw };
};

type Submitting = { readonly options: SubmitReviewOptions; readonly kept: KeptParts | null };

const execute = async (input: unknown, { options, kept }: Submitting, signal: AbortSignal): Promise<ToolResult> => {
  if (inputText(input, TOOL_LIMITS.submissionCharacters) === null) {
    const reason = `the review is longer than ${TOOL_LIMITS.submissionCharacters} characters`;
    return unreadable({ text: reason, raw: rawOf(input) }, { options, kept }, signal);
  }
  const read = readSubmission(input, options, kept);
  if (read.kind === 'unreadable')
    return unreadable({ text: read.reason, raw: rawOf(input) }, { options, kept }, signal);
  const { submission } = read;
  const faults = await findFaults(read.given, options, signal);
  const unshown = await findUnshown(submission.fixed, options.isShownFixed);
  const inVain = await findInVain(submission, options);
  const binding = [...read.problems, ...faults.binding, ...unshown.problems, ...inVain.problems];
  if (binding.length === 0)
    return { kind: 'submitted', submission, claims: await claimsIn(submission, options, signal) };
  const problems = [...binding, ...faults.others];
  const isLegal = problems.every(({ kind }) => kind === 'blemish');
  const ids = new Set([...unshown.ids, ...inVain.ids]);
  const next = keptOf(read, { refused: faults.refused, ids });
  const fallback = isLegal ? submission : null;
  const fallbackClaims = await claimsIn(fallback, options, signal);
  return { kind: 'refused', problems, fallback, fallbackClaims, kept: next, unreadable: null };
};

/**
 * Also called for the fallback of every refusal: only the loop knows whether a correction is left, and it cannot read the
 * code that claims quote.
 */
const claimsIn = async (
  submission: Submission | null,
  { claimsOf }: SubmitReviewOptions,
  signal: AbortSignal,
): Promise<ClaimToVerify[] | undefined> => {
  const claims = submission === null ? undefined : await claimsOf?.(submission, signal);
  return claims === undefined ? undefined : [...claims];
};

const TEXT = { type: 'string' } as const;

const QUOTE = {
  type: 'object',
  properties: { path: TEXT, line: { type: 'integer' }, code: TEXT },
  required: ['path', 'code'],
} as const;

const FINDING = {
  type: 'object',
  properties: {
    path: TEXT,
    line: { type: 'integer', description: 'last line' },
    start_line: { type: 'integer' },
    side: { enum: ['new', 'old'], description: 'old for removed lines' },
    severity: { enum: Severity.options },
    relation: { enum: ['current_diff', 'required_by_current_diff', 'outside_diff'] },
    title: TEXT,
    body: TEXT,
    evidence: {
      type: 'array',
      items: QUOTE,
      description: 'verbatim quotes: the faulty lines, and those that show the consequence',
    },
    suggestion: {
      type: 'string',
      description: 'new text for lines start_line to line; empty deletes them',
    },
    blocking: { type: 'boolean' },
  },
  required: ['path', 'line', 'severity', 'title', 'body', 'evidence'],
} as const;

/** Some servers refuse a list without a type for its entries. */
const ENTRIES = { type: 'array', items: {} } as const;

/**
 * Names no thread, so that the schema is the same in every review: it is the beginning of the prefix that the provider
 * caches. The instructions describe the entries of `walkthrough` and `not_reviewed`. The opening describes how to
 * answer threads and, if such entries are possible, what to write in `fixed` and `refuted`.
 */
export const SUBMIT_REVIEW_SCHEMA: ToolSchema = {
  name: SUBMIT_REVIEW,
  description: `Submits the review. At most ${MAX_FINDINGS} findings.`,
  inputSchema: {
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'what the change does and its state' },
      walkthrough: ENTRIES,
      findings: { type: 'array', items: FINDING },
      answers: ENTRIES,
      fixed: ENTRIES,
      refuted: ENTRIES,
      not_reviewed: ENTRIES,
    },
    required: ['summary', 'findings'],
  },
};

export const createSubmitReviewTool = (options: SubmitReviewOptions): Tool => ({
  schema: SUBMIT_REVIEW_SCHEMA,
  execute: (input, signal, context) => execute(input, { options, kept: context?.kept ?? null }, signal),
});
