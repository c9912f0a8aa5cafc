import {
  Action,
  type DraftFinding,
  type Refutation,
  type ReportedFix,
  Severity,
  Stance,
  type ThreadAnswer,
} from '../../vocabulary/finding.ts';
import { SUBMIT_REVIEW } from '../build-request.ts';
import type { ToolSchema } from '../model/model.ts';
import { readSubmission, repeatsThread, type SubmissionRules } from '../submission/read-submission.ts';
import { MAX_FINDINGS, type SubmissionProblem, type Submission } from '../submission/submission.ts';
import { inputText, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';

export type SubmitReviewOptions = SubmissionRules & {
  /** Contract: returns what is wrong with the finding's file, place or quote, or null. */
  readonly faultOf: (finding: DraftFinding, signal: AbortSignal) => Promise<string | null>;
  /** Contract: tells whether the quote shows that the settled thread is fixed. Absent if there are no settled threads. */
  readonly isShownFixed?: (fix: ReportedFix) => Promise<boolean>;
  /** Contract: tells whether the quote is code of the claim's file. Absent if there are no unverified claims. */
  readonly isRefuted?: (refutation: Refutation) => Promise<boolean>;
  /** Contract: tells whether the answer's quote may resolve a thread whose own lines are unchanged. Absent: it may not. */
  readonly isFixedElsewhere?: (answer: ThreadAnswer) => Promise<boolean>;
};

const RAW_CHARACTERS = 20_000;

/** A finding that repeats an open thread is not posted, so the model is not asked to correct it. */
const findFaults = async (
  findings: readonly DraftFinding[],
  options: SubmitReviewOptions,
  signal: AbortSignal,
): Promise<readonly SubmissionProblem[]> => {
  const problems: SubmissionProblem[] = [];
  for (const [index, finding] of findings.entries()) {
    const fault = repeatsThread(finding, options) ? null : await options.faultOf(finding, signal);
    if (fault === null) continue;
    const { title, path, line, severity } = finding;
    problems.push({
      kind: 'blemish',
      text: `findings[${index}] "${title.slice(0, TITLE_CHARACTERS)}" ${path}:${line} (${severity}): ${fault}`,
    });
  }
  return problems;
};

const TITLE_CHARACTERS = 80;

const findUnshown = async (
  fixed: readonly ReportedFix[] = [],
  isShown: SubmitReviewOptions['isShownFixed'],
): Promise<readonly SubmissionProblem[]> => {
  const problems: SubmissionProblem[] = [];
  for (const fix of fixed) {
    if ((await isShown?.(fix)) === true) continue;
    const text = `fixed: ${fix.findingId}: evidence must be a verbatim quote and nothing else, either of lines that changed since the handover or of deleted lines of the cited code; if there are no such lines, leave the finding out of fixed`;
    problems.push({ kind: 'blemish', text });
  }
  return problems;
};

/** Finds refutations and answers whose quote proves nothing. Such claims stay unverified, and such threads wait. */
const findInVain = async (
  { refuted = [], answers }: Submission,
  { isRefuted, isFixedElsewhere, openThreads }: SubmitReviewOptions,
): Promise<readonly SubmissionProblem[]> => {
  const texts: string[] = [];
  for (const each of refuted) {
    if ((await isRefuted?.(each)) === true) continue;
    texts.push(
      `refuted: ${each.findingId}: evidence must quote code of the claim's file verbatim; if there is no such quote, leave the finding out of refuted`,
    );
  }
  for (const answer of answers) {
    const isIdle = openThreads.some(({ id, idle }) => id === answer.findingId && idle === true);
    if (!isIdle || answer.action !== 'resolve' || (await isFixedElsewhere?.(answer)) === true) continue;
    texts.push(
      `answers: ${answer.findingId}: evidence must quote code, not a comment or prose, that changed since the last reply; otherwise the thread stays open`,
    );
  }
  return texts.map((text) => ({ kind: 'blemish', text }));
};

/** A string is text outside the tool call or broken JSON. Any other input is shown as JSON. */
const rawOf = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')).slice(0, RAW_CHARACTERS);

const unreadable = (text: string, raw: string): ToolResult => ({
  kind: 'refused',
  problems: [{ kind: 'violation', text }],
  fallback: null,
  unreadable: raw,
});

const execute = async (input: unknown, options: SubmitReviewOptions, signal: AbortSignal): Promise<ToolResult> => {
  if (inputText(input, TOOL_LIMITS.submissionCharacters) === null) {
    return unreadable(`the review is longer than ${TOOL_LIMITS.submissionCharacters} characters`, rawOf(input));
  }
  const read = readSubmission(input, options);
  if (read.kind === 'unreadable') return unreadable(read.reason, rawOf(input));
  const { submission } = read;
  const faults = await findFaults(submission.findings, options, signal);
  const unshown = await findUnshown(submission.fixed, options.isShownFixed);
  const inVain = await findInVain(submission, options);
  const problems = [...read.problems, ...faults, ...unshown, ...inVain];
  if (problems.length === 0) return { kind: 'submitted', submission };
  const isLegal = problems.every(({ kind }) => kind === 'blemish');
  return { kind: 'refused', problems, fallback: isLegal ? submission : null, unreadable: null };
};

const TEXT = { type: 'string' } as const;

const QUOTE = {
  type: 'object',
  properties: { path: TEXT, code: TEXT },
  required: ['path', 'code'],
} as const;

const FINDING = {
  type: 'object',
  properties: {
    path: TEXT,
    line: { type: 'integer', description: 'last line, as numbered on its side' },
    start_line: { type: 'integer' },
    side: { enum: ['new', 'old'], description: 'old for removed lines' },
    severity: { enum: Severity.options },
    relation: { enum: ['current_diff', 'required_by_current_diff', 'outside_diff'] },
    title: TEXT,
    body: TEXT,
    evidence: { anyOf: [TEXT, { type: 'array', items: QUOTE }], description: 'one quote, or a list' },
    suggestion: {
      type: 'string',
      description: 'replaces start_line to line; keep the indentation; empty: deletes them',
    },
    blocking: { type: 'boolean' },
  },
  required: ['path', 'line', 'severity', 'title', 'body', 'evidence'],
} as const;

/** Names no thread, so that the schema is the same in every review: it begins the prefix that the provider caches. */
const ANSWER = {
  type: 'object',
  properties: {
    thread: TEXT,
    action: { enum: Action.options },
    stance: { enum: Stance.options },
    severity: { enum: Severity.options },
    body: TEXT,
    evidence: TEXT,
  },
  required: ['thread', 'action', 'stance', 'body'],
} as const;

const NAMED = {
  type: 'object',
  properties: { path: TEXT, reason: TEXT },
  required: ['path', 'reason'],
} as const;

const ENTRIES = { type: 'array', items: { type: 'object' } } as const;

const LINE = { type: 'object', properties: { path: TEXT, text: TEXT }, required: ['path', 'text'] } as const;

/** The opening says how to answer threads, and what to write in `fixed` and `refuted`, where there are any. */
export const SUBMIT_REVIEW_SCHEMA: ToolSchema = {
  name: SUBMIT_REVIEW,
  description: `Submits the review and ends it. At most ${MAX_FINDINGS} findings.`,
  inputSchema: {
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'what the change does and its state' },
      walkthrough: { type: 'array', items: LINE },
      findings: { type: 'array', items: FINDING },
      answers: { type: 'array', items: ANSWER, description: 'to open threads' },
      fixed: ENTRIES,
      refuted: ENTRIES,
      not_reviewed: { type: 'array', items: NAMED },
    },
    required: ['summary', 'findings', 'not_reviewed'],
  },
};

export const createSubmitReviewTool = (options: SubmitReviewOptions): Tool => ({
  schema: SUBMIT_REVIEW_SCHEMA,
  execute: (input, signal) => execute(input, options, signal),
});
