/** Merges the submissions of the parts' reviewers, so that the rest of a review sees one submission. */
import type { Outcome } from '../../../shared/agent/outcome.ts';
import {
  MAX_SUMMARY_CHARACTERS,
  type Submission,
  tooManyFindings,
} from '../../../shared/agent/submission/submission.ts';
import { bySeverity } from '../../../shared/rounds/model/blocking.ts';
import { cutPoint } from '../../../shared/text/cut.ts';
import { type OmittedFile, onePerPath } from '../../../shared/vocabulary/coverage.ts';
import { exceededText } from '../../../shared/vocabulary/exceeded.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import type { VerifiedClaim } from '../../../shared/vocabulary/verification.ts';
import { MAX_WALKTHROUGH } from '../../../shared/vocabulary/walkthrough.ts';
import type { ModelLook } from '../packet/looked.ts';
import type { Packet } from '../packet/packet.ts';
import { foldersOf } from '../parts/folders-of.ts';
import { partOfThread, type ReviewPart } from '../parts/review-parts.ts';
import type { EndedPart } from './run-parts.ts';

export type LeftPart = { readonly part: ReviewPart; readonly reason: string };

export type PartsOutcome = {
  readonly packet: Packet;
  /** All parts of the plan. */
  readonly parts: readonly ReviewPart[];
  readonly ended: readonly EndedPart[];
  /** Parts that were not started because they do not fit the budget. */
  readonly left: readonly LeftPart[];
  /** Files that did not fit into the prompt of their part, although the plan expected them to. */
  readonly notShown: readonly OmittedFile[];
  /** Active time of the run in ms. */
  readonly wallMs: number;
};

export type MergedParts = {
  readonly outcome: Outcome;
  readonly notes: string;
  readonly spent: Spent;
  readonly read: ModelLook['read'];
  readonly boundaries: readonly string[];
  readonly tookOver: readonly string[];
  readonly notShown: readonly OmittedFile[];
  readonly unanswered: readonly FindingId[];
};

type Talked = NonNullable<EndedPart['talked']>;

type Submitted = {
  readonly part: ReviewPart;
  readonly talked: Talked;
  readonly submission: Submission;
  readonly verified: readonly VerifiedClaim[] | undefined;
};

const submittedIn = ({ part, talked }: EndedPart): readonly Submitted[] =>
  talked?.outcome.kind === 'submitted'
    ? [{ part, talked, submission: talked.outcome.submission, verified: talked.outcome.verified }]
    : [];

/**
 * If no part was submitted, the run gets the outcome of the first part that used up a budget, or else of the first
 * part.
 */
export const mergeParts = (of: PartsOutcome): MergedParts => {
  const { packet, parts, ended } = of;
  const talks = ended.flatMap(({ talked }) => (talked === null ? [] : [talked]));
  const submitted = ended.flatMap(submittedIn);
  const missing = [...ended.flatMap(failedPart), ...of.left];
  const unseen = new Set(missing.map(({ part }) => part));
  const spent = talks.reduce((sum: Spent, talk) => addSpent(sum, talk.spent), NOTHING_SPENT);
  return {
    outcome: submitted.length === 0 ? endOf(of) : mergeSubmitted(submitted),
    notes: talks
      .map(({ notes }) => notes)
      .filter((notes) => notes !== '')
      .join('\n\n'),
    spent: { ...spent, wallMs: of.wallMs },
    read: unite(submitted.map(({ talked }) => talked.read)),
    boundaries: [...new Set(talks.map(({ boundary }) => boundary))],
    tookOver: [...new Set(talks.flatMap(({ tookOver }) => tookOver))],
    notShown: onePerPath([
      ...missing.flatMap(({ part, reason }) => part.files.map(({ newPath: path }) => ({ path, reason }))),
      ...of.notShown,
    ]),
    unanswered: packet.openThreads.flatMap((thread) => {
      const part = partOfThread(thread, parts);
      return part !== undefined && unseen.has(part) ? [thread.id] : [];
    }),
  };
};

const unite = (all: readonly ModelLook['read'][]): ModelLook['read'] => {
  const read = new Map<string, ModelLook['read'] extends ReadonlyMap<string, infer Ranges> ? Ranges : never>();
  for (const [path, ranges] of all.flatMap((each) => [...each])) read.set(path, [...(read.get(path) ?? []), ...ranges]);
  return read;
};

const failedPart = ({ part, talked }: EndedPart): readonly LeftPart[] => {
  if (talked === null) return [{ part, reason: NO_TIME }];
  return talked.outcome.kind === 'submitted' ? [] : [{ part, reason: whyFailed(talked.outcome) }];
};

const NO_TIME = 'no time was left for its part of the change';

const whyFailed = (outcome: Exclude<Outcome, { readonly kind: 'submitted' }>): string => {
  switch (outcome.kind) {
    case 'budget_exceeded':
      return `${exceededText(outcome.exceeded)} is used up, so its part of the change was not reviewed`;
    case 'refusal':
      return 'the model refused to review its part of the change';
    case 'model_failed':
      return `the model failed (${outcome.code}) in its part of the change`;
    case 'violation':
    case 'unreadable':
    case 'explored':
    case 'verified':
      return "the model's review of its part of the change could not be used";
    default:
      return outcome satisfies never;
  }
};

const endOf = ({ ended }: PartsOutcome): Outcome => {
  const outcomes = ended.flatMap(({ talked }) => (talked === null ? [] : [talked.outcome]));
  // If a budget ran out, what the part produced until then still counts as a review. Any other failure is a failed
  // attempt.
  const [first] = outcomes.toSorted((one, two) => rankOf(one) - rankOf(two));
  return first ?? { kind: 'unreadable', rawText: null, notes: '' };
};

const rankOf = ({ kind }: Outcome): number => (kind === 'budget_exceeded' ? 0 : 1);

/** The draft of a run holds 500 findings, those of the rules included. */
const MAX_MERGED_FINDINGS = 300;

const mergeSubmitted = (all: readonly Submitted[]): Outcome => {
  const submission = mergeSubmissions(all);
  if (all.every(({ verified }) => verified === undefined)) return { kind: 'submitted', submission };
  const verified = all.flatMap((each) => (each.verified ?? []).flatMap((one) => rebased(one, each, submission)));
  return { kind: 'submitted', submission, verified };
};

/** A claim refers to a finding by its index in the list of its own part. */
const rebased = (
  { about, verification }: VerifiedClaim,
  { submission: own }: Submitted,
  { findings }: Submission,
): readonly VerifiedClaim[] => {
  if (about.kind === 'fix') return [{ about, verification }];
  const finding = own.findings[about.index];
  const index = finding === undefined ? -1 : findings.indexOf(finding);
  return index < 0 ? [] : [{ about: { kind: 'finding', index }, verification }];
};

const mergeSubmissions = (all: readonly Submitted[]): Submission => {
  const of = <Item>(list: (submission: Submission) => readonly Item[] | undefined): Item[] =>
    all.flatMap(({ submission }) => list(submission) ?? []);
  const found = of(({ findings }) => findings);
  const walkthrough = of((each) => each.walkthrough).slice(0, MAX_WALKTHROUGH);
  const [fixed, refuted, notReviewed] = [
    of((each) => each.fixed),
    of((each) => each.refuted),
    of((each) => each.notReviewed),
  ];
  return {
    summary: summaryOf(all),
    ...(walkthrough.length === 0 ? {} : { walkthrough }),
    findings:
      found.length <= MAX_MERGED_FINDINGS
        ? found
        : found.toSorted((one, two) => bySeverity(one.severity, two.severity)).slice(0, MAX_MERGED_FINDINGS),
    answers: of(({ answers }) => answers),
    ...(fixed.length === 0 ? {} : { fixed }),
    ...(refuted.length === 0 ? {} : { refuted }),
    omitted: [
      ...of(({ omitted }) => omitted),
      ...(found.length > MAX_MERGED_FINDINGS ? [tooManyFindings(MAX_MERGED_FINDINGS)] : []),
    ],
    ...(notReviewed.length === 0 ? {} : { notReviewed }),
  };
};

const FOLDERS_SHOWN = 3;
const MAX_TITLE = 300;

const titleOf = ({ part }: Submitted): string => {
  const folders = foldersOf(part.files.map(({ newPath }) => newPath)).map(({ folder }) => folder);
  const more = folders.length > FOLDERS_SHOWN ? ', …' : '';
  return `Part ${part.number} (${folders.slice(0, FOLDERS_SHOWN).join(', ')}${more})`.slice(0, MAX_TITLE);
};

/** The summaries of all parts, each below the part's folders and cut to an equal share of the maximum length. */
const summaryOf = (all: readonly Submitted[]): string => {
  const room = Math.floor(MAX_SUMMARY_CHARACTERS / all.length) - MAX_TITLE - 10;
  const cut = (text: string): string => text.slice(0, cutPoint(text, room));
  return all.map((each) => `${titleOf(each)}: ${cut(each.submission.summary.trim())}`).join('\n\n');
};
