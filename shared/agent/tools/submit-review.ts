import { MAX_WALKTHROUGH, MAX_WALKTHROUGH_CHARACTERS } from '../../vocabulary/walkthrough.ts';
import type { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { SUBMIT_REVIEW } from '../build-request.ts';
import type { ToolSchema } from '../model/model.ts';
import { keptOf } from '../submission/kept-of.ts';
import type { KeptParts } from '../submission/kept.ts';
import { type GivenFinding, readSubmission, type SubmissionRules } from '../submission/read-submission.ts';
import {
  MAX_BODY_CHARACTERS,
  MAX_FINDINGS,
  type SubmissionProblem,
  type Submission,
} from '../submission/submission.ts';
import { inputText, type Tool } from '../tool.ts';
import { TOOL_LIMITS } from '../tool-limits.ts';
import type { ToolResult } from '../tool-result.ts';

/** `binding`: the finding must be corrected. Any other fault is only mentioned if a correction is needed anyway. */
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
};

const RAW_CHARACTERS = 20_000;

type Faults = {
  readonly binding: readonly SubmissionProblem[];
  readonly others: readonly SubmissionProblem[];
  /** The findings that must be corrected. */
  readonly refused: ReadonlySet<DraftFinding>;
};

const findFaults = async (
  findings: readonly GivenFinding[],
  faultOf: SubmitReviewOptions['faultOf'],
  signal: AbortSignal,
): Promise<Faults> => {
  const binding: SubmissionProblem[] = [];
  const others: SubmissionProblem[] = [];
  const refused = new Set<DraftFinding>();
  for (const { index, finding } of findings) {
    const fault = await faultOf(finding, signal);
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
    const text = `fixed: ${fix.findingId}: evidence must be a verbatim quote and nothing else, either of lines that changed since the handover or of deleted lines of the cited code; if there are no such lines, leave the finding out of fixed`;
    problems.push({ kind: 'blemish', text });
  }
  return { problems, ids };
};

/** Finds refutations and answers whose quote proves nothing. Such claims stay unverified, and such threads wait. */
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
      `answers: ${answer.findingId}: evidence must quote code, not a comment or prose, that changed since the last reply; otherwise the thread stays open`,
    );
  }
  return { problems: texts.map((text) => ({ kind: 'blemish', text })), ids };
};

/** A string is text outside the tool call or broken JSON. Any other input is shown as JSON. */
const rawOf = (input: unknown): string =>
  (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')).slice(0, RAW_CHARACTERS);

const unreadable = (text: string, raw: string, kept: KeptParts | null): ToolResult => ({
  kind: 'refused',
  problems: [{ kind: 'violation', text }],
  fallback: null,
  kept,
  unreadable: raw,
});

type Submitting = { readonly options: SubmitReviewOptions; readonly kept: KeptParts | null };

const execute = async (input: unknown, { options, kept }: Submitting, signal: AbortSignal): Promise<ToolResult> => {
  if (inputText(input, TOOL_LIMITS.submissionCharacters) === null) {
    const reason = `the review is longer than ${TOOL_LIMITS.submissionCharacters} characters`;
    return unreadable(reason, rawOf(input), kept);
  }
  const read = readSubmission(input, options, kept);
  if (read.kind === 'unreadable') return unreadable(read.reason, rawOf(input), kept);
  const { submission } = read;
  const faults = await findFaults(read.given, options.faultOf, signal);
  const unshown = await findUnshown(submission.fixed, options.isShownFixed);
  const inVain = await findInVain(submission, options);
  const binding = [...read.problems, ...faults.binding, ...unshown.problems, ...inVain.problems];
  if (binding.length === 0) return { kind: 'submitted', submission };
  const problems = [...binding, ...faults.others];
  const isLegal = problems.every(({ kind }) => kind === 'blemish');
  const ids = new Set([...unshown.ids, ...inVain.ids]);
  const next = keptOf(read, { refused: faults.refused, ids });
  return { kind: 'refused', problems, fallback: isLegal ? submission : null, kept: next, unreadable: null };
};

const TEXT = { type: 'string' } as const;

const QUOTE = {
  type: 'object',
  properties: { path: TEXT, line: { type: 'integer' }, code: TEXT },
  required: ['path', 'line', 'code'],
} as const;

const FINDING = {
  type: 'object',
  properties: {
    path: TEXT,
    line: { type: 'integer', description: 'last line, as numbered on its side' },
    start_line: { type: 'integer', description: 'first line, if there is more than one' },
    side: { enum: ['new', 'old'], description: 'old for removed lines' },
    severity: { enum: ['P0', 'P1', 'P2', 'P3'] },
    relation: { enum: ['current_diff', 'required_by_current_diff', 'outside_diff'] },
    title: { type: 'string', description: 'one sentence, at most 90 characters' },
    body: {
      type: 'string',
      description: `what is wrong, why, and how to fix it; at most ${MAX_BODY_CHARACTERS} characters`,
    },
    evidence: {
      type: 'array',
      items: QUOTE,
      maxItems: 10,
      description:
        'verbatim code: the faulty lines, and where the consequence shows (a caller, test or type). A P0 or P1 without evidence does not ' +
        'count. For a line that the change does not touch, quote the changed line that makes it wrong, too',
    },
    suggestion: {
      type: 'string',
      description:
        'replaces all lines from start_line to line on the new side; keep their indentation, without a ' +
        'final line feed; an empty text deletes the lines',
    },
    blocking: { type: 'boolean', description: 'for a P2: whether it blocks; default false' },
  },
  required: ['path', 'line', 'severity', 'title', 'body', 'evidence'],
} as const;

const ELSEWHERE = {
  evidence: {
    type: 'string',
    description: 'with resolve: verbatim quote of code that changed since the last reply and fixes the problem',
  },
};

const answerSchema = ({ legalActions: actions, idle }: SubmissionRules['openThreads'][number]) => ({
  type: 'object',
  properties: {
    ...(idle === true && actions.includes('resolve') ? ELSEWHERE : {}),
    stance: { enum: ['seeks_change', 'accepts'] },
    action: { enum: actions },
    severity: { enum: ['P0', 'P1', 'P2', 'P3'], description: 'with escalate: the new, higher severity' },
    body: TEXT,
  },
  required: ['stance', 'action', 'body'],
});

/** Each open thread with a legal action has one property, which is required if the thread needs an action. */
const answersSchema = (threads: SubmissionRules['openThreads']) => ({
  type: 'object',
  description: 'exactly one action for every thread that needs an action; no action for a thread that still waits',
  properties: Object.fromEntries(threads.map((thread) => [thread.id, answerSchema(thread)])),
  required: requiredIds(threads),
  additionalProperties: false,
});

const requiredIds = (threads: SubmissionRules['openThreads']) =>
  threads.filter(({ required }) => required !== false).map(({ id }) => id);

const FIX = {
  type: 'object',
  properties: {
    evidence: {
      type: 'string',
      description: 'verbatim quote of the changed lines that fix the problem, or of the deleted part of the cited code',
    },
  },
  required: ['evidence'],
} as const;

const fixedSchema = (threads: readonly string[]) => ({
  type: 'object',
  description: 'threads that are waiting for a person although the change has fixed the problem',
  properties: Object.fromEntries(threads.map((id) => [id, FIX])),
  additionalProperties: false,
});

const REFUTATION = {
  type: 'object',
  properties: {
    evidence: { type: 'string', description: 'verbatim quote of code in its file that refutes the claim' },
  },
  required: ['evidence'],
} as const;

const refutedSchema = (ids: readonly string[]) => ({
  type: 'object',
  description: 'unverified claims that do not hold; if a claim holds, report it as a finding with evidence',
  properties: Object.fromEntries(ids.map((id) => [id, REFUTATION])),
  additionalProperties: false,
});

const DESCRIPTION = `Submits the review and ends it. At most ${MAX_FINDINGS} findings. P0 and P1 block; a P2 blocks only if blocking is true; you give no verdict. Under not_reviewed, name everything that you did not look at.`;

export const submitReviewSchema = ({
  openThreads: open,
  settledThreads = [],
  unverified = [],
}: SubmissionRules): ToolSchema => {
  const openThreads = open.filter(({ legalActions }) => legalActions.length > 0);
  return {
    name: SUBMIT_REVIEW,
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: {
        summary: { type: 'string', description: 'what the change does and what state it is in, in a few sentences' },
        walkthrough: {
          type: 'array',
          items: { type: 'object', properties: { path: TEXT, text: TEXT }, required: ['path', 'text'] },
          maxItems: MAX_WALKTHROUGH,
          description: `for readers: one entry for each important file of the change, saying what changes in it, in one line of at most ${MAX_WALKTHROUGH_CHARACTERS} characters; no praise, no findings`,
        },
        findings: { type: 'array', items: FINDING, description: 'empty if there are none' },
        ...(openThreads.length === 0 ? {} : { answers: answersSchema(openThreads) }),
        ...(settledThreads.length === 0 ? {} : { fixed: fixedSchema(settledThreads) }),
        ...(unverified.length === 0 ? {} : { refuted: refutedSchema(unverified) }),
        not_reviewed: {
          type: 'array',
          items: { type: 'object', properties: { path: TEXT, reason: TEXT }, required: ['path', 'reason'] },
          description: 'files of the change that you did not review; empty if you reviewed all of them',
        },
      },
      required: ['summary', 'findings', ...(requiredIds(openThreads).length === 0 ? [] : ['answers']), 'not_reviewed'],
    },
  };
};

export const createSubmitReviewTool = (options: SubmitReviewOptions): Tool => ({
  schema: submitReviewSchema(options),
  execute: (input, signal, context) => execute(input, { options, kept: context?.kept ?? null }, signal),
});
