/** The pure filter between what a run drafted and what may be posted. Nothing is dropped without a count and a reason. */
import { bySeverity, isBlocking, isGrave } from './blocking.ts';
import type { CheckedFinding, ReviewDraft } from './draft.ts';
import { quoteEachOther } from './duplicates-code.ts';
import { findThread, isSameFinding } from './duplicates-match.ts';
import { formatFindingId } from './finding-id.ts';
import type { Policy } from './facts.ts';
import type { History, Thread } from './history.ts';
import type { TalkScope } from '../text/marker-payload.ts';
import { takeFixes } from './gate-fixed.ts';
import { isTooLight, TOO_LIGHT } from './repository-rules.ts';
import { type ThreadProgress, stepThread } from './thread.ts';
import type { FindingId, ThreadAnswer } from './vocabulary.ts';

export type Accepted = {
  readonly id: FindingId;
  readonly finding: CheckedFinding;
  readonly blocking: boolean;
  /** It stands on the forge already, from a half-posted try of this round. */
  readonly alreadySaid: boolean;
  /** The resolved finding that this one brings back. */
  readonly regressionOf: FindingId | null;
  /** False: it is listed in the summary without a thread of its own. */
  readonly ownThread: boolean;
};

/** An open thread that was answered, or a settled one that is shown fixed. */
export type Handled = { readonly thread: Thread; readonly answer: ThreadAnswer; readonly next: ThreadProgress };

export type Dropped = { readonly title: string; readonly reason: DropReason };
export type DropReason =
  | 'repeats an open thread'
  | 'repeats a closed finding'
  | 'repeats another new finding'
  | 'unchanged code'
  | 'said between two rounds'
  | 'repeats a dismissed finding'
  | typeof TOO_LIGHT;

export type GateResult = {
  readonly accepted: readonly Accepted[];
  /** P0 and P1 whose quotation could not be found: listed, never posted as threads, and the verdict is inconclusive. */
  readonly unverified: readonly CheckedFinding[];
  readonly dropped: readonly Dropped[];
  readonly handled: readonly Handled[];
  /** Open threads that got no answer because a budget ran out: they stay as they are. */
  readonly unanswered: readonly Thread[];
  /** Threads that an outside hand or an earlier round has closed or settled. */
  readonly standing: readonly Thread[];
  /** Of those, the settled ones that a P0 or P1 of this round repeats. They stand with the graver severity of both. */
  readonly raisedAgain: readonly FindingId[];
  /** Breaches of the protocol: with one of them the attempt has failed and nothing of it is posted. */
  readonly violations: readonly string[];
};

/** What the gate reads of a draft. */
export type GatedDraft = Pick<
  ReviewDraft,
  'round' | 'findings' | 'answers' | 'fixed' | 'moved' | 'exceeded' | 'repository'
>;

/**
 * `policy` as when the round began, which its threads were answered under; `now` with what the round has read of the
 * target branch's settings.
 */
export const gate = (
  draft: GatedDraft,
  history: History,
  policy: Pick<Policy, 'rounds'>,
  now: Pick<Policy, 'rounds'> = policy,
): GateResult => {
  const finalRound = draft.round >= policy.rounds.max;
  const open = openThreads(history, draft.round);
  const { handled, unanswered, violations } = handleThreads(open, withoutDismissed(draft.answers, history), {
    threadCount: policy.rounds.threadCount,
    finalRound,
    cutShort: draft.exceeded !== null,
  });
  const sorted = sortFindings(draft, history, policy);
  const fixed = takeFixes(draft, history, policy.rounds.duplicateThreshold);
  const mended = new Set(fixed.map(({ thread }) => thread));
  return {
    accepted: numbered(sorted.kept, history, draft.round >= now.rounds.max),
    unverified: sorted.unverified,
    dropped: sorted.dropped,
    handled: [...handled, ...fixed],
    unanswered,
    standing: history.threads
      .filter((thread) => thread.state !== 'open' && thread.round < draft.round && !mended.has(thread))
      .map((thread) => raise(thread, sorted.raised)),
    raisedAgain: [...new Set(sorted.raised.map(({ thread }) => thread.id))],
    violations: [...violations, ...sorted.contradictions],
  };
};

/** A commander was faster than the reviewer. */
const withoutDismissed = (answers: readonly ThreadAnswer[], { threads }: History): readonly ThreadAnswer[] =>
  answers.filter(({ findingId }) => !threads.some(({ id, state }) => id === findingId && state === 'dismissed'));

/**
 * Between two rounds: the threads that were asked for, those of the last round as well, and nothing new. A thread that
 * somebody has closed meanwhile needs no answer any more; a budget that ran out leaves the attempt failed.
 */
export const gateTalk = (
  draft: GatedDraft,
  history: History,
  { policy, talk }: { readonly policy: Pick<Policy, 'rounds'>; readonly talk: TalkScope },
): GateResult => {
  const open = threadsOfTalk(history, talk);
  const ids = new Set(open.map(({ id }) => id));
  const isOver = ({ findingId }: ThreadAnswer): boolean => !ids.has(findingId) && talk.threads.includes(findingId);
  const { threadCount, max } = policy.rounds;
  const rules = { threadCount, finalRound: draft.round >= max, cutShort: false };
  const threads = handleThreads(
    open,
    draft.answers.filter((answer) => !isOver(answer)),
    rules,
  );
  return {
    accepted: [],
    unverified: [],
    dropped: draft.findings.map(({ claim }) => ({ title: claim.title, reason: 'said between two rounds' })),
    raisedAgain: [],
    ...threads,
    standing: history.threads.filter(({ id }) => !ids.has(id)),
  };
};

export const threadsOfTalk = ({ threads }: History, talk: TalkScope): readonly Thread[] =>
  threads.filter(({ id, state }) => state === 'open' && talk.threads.includes(id));

/** Threads of earlier rounds: what this round posted half-way is no thread to answer yet. */
export const openThreads = (history: History, round: number): readonly Thread[] =>
  history.threads.filter((thread) => thread.state === 'open' && thread.round < round);

const handleThreads = (
  open: readonly Thread[],
  answers: readonly ThreadAnswer[],
  rules: { readonly threadCount: number; readonly finalRound: boolean; readonly cutShort: boolean },
): Pick<GateResult, 'handled' | 'unanswered' | 'violations'> => {
  const handled: Handled[] = [];
  const unanswered: Thread[] = [];
  const violations: string[] = [];
  for (const thread of open) {
    const mine = answers.filter((answer) => answer.findingId === thread.id);
    const [answer] = mine;
    // A budget ran out before the answer: the thread stays as it is, and the round cannot pass.
    if (answer === undefined && rules.cutShort) {
      unanswered.push(thread);
      continue;
    }
    if (answer === undefined || mine.length > 1) {
      violations.push(`${thread.id} has ${mine.length} actions instead of exactly one`);
      continue;
    }
    const step = stepThread(thread, answer, rules);
    if (step.kind === 'illegal') violations.push(`${thread.id}: ${step.reason}`);
    else handled.push({ thread, answer, next: step.thread });
  }
  const known = new Set(open.map(({ id }) => id));
  for (const answer of answers)
    if (!known.has(answer.findingId)) violations.push(`${answer.findingId} is no open thread`);
  return { handled, unanswered, violations };
};

type Kept = { readonly finding: CheckedFinding; readonly said: Thread | null; readonly regressionOf: FindingId | null };
type Raised = { readonly thread: Thread; readonly finding: CheckedFinding };
type Sorted = {
  kept: Kept[];
  unverified: CheckedFinding[];
  dropped: Dropped[];
  raised: Raised[];
  contradictions: string[];
};

/** What blocks is judged first: of two findings that say the same, the graver one stays. */
const sortFindings = (draft: GatedDraft, history: History, policy: Pick<Policy, 'rounds'>): Sorted => {
  const sorted: Sorted = { kept: [], unverified: [], dropped: [], raised: [], contradictions: [] };
  for (const finding of draft.findings.toSorted(graverFirst)) {
    const verdict = judge(finding, { draft, history, threshold: policy.rounds.duplicateThreshold, kept: sorted.kept });
    if ('contradicts' in verdict) sorted.contradictions.push(`${verdict.contradicts} is resolved and raised again`);
    else if ('drop' in verdict) sorted.dropped.push({ title: finding.claim.title, reason: verdict.drop });
    else if (isGrave(finding.claim.severity) && !finding.evidenced) sorted.unverified.push(finding);
    else if ('said' in verdict && verdict.said === null && isTooLight(finding.claim, draft.repository))
      sorted.dropped.push({ title: finding.claim.title, reason: TOO_LIGHT });
    else if ('raises' in verdict) sorted.raised.push({ thread: verdict.raises, finding });
    else sorted.kept.push({ finding, ...verdict });
  }
  const drafted = new Map(draft.findings.map((finding, index) => [finding, index]));
  const indexOf = ({ finding }: Kept): number => drafted.get(finding) ?? 0;
  sorted.kept.sort((one, other) => indexOf(one) - indexOf(other));
  return sorted;
};

const graverFirst = ({ claim: one }: CheckedFinding, { claim: other }: CheckedFinding): number =>
  Number(isBlocking(other)) - Number(isBlocking(one)) || bySeverity(one.severity, other.severity);

/** A settled thread never becomes harmless by being said again in worse words. */
const raise = (thread: Thread, raised: readonly Raised[]): Thread => {
  const severities = raised
    .filter((each) => each.thread === thread && isBlocking(each.finding.claim))
    .map(({ finding }) => finding.claim.severity);
  const [severity = thread.severity] = [thread.severity, ...severities].toSorted(bySeverity);
  return { ...thread, severity, blocking: thread.blocking || severities.length > 0 };
};

type JudgeContext = {
  readonly draft: GatedDraft;
  readonly history: History;
  readonly threshold: number;
  readonly kept: readonly Kept[];
};

const judge = (
  finding: CheckedFinding,
  context: JudgeContext,
):
  | { readonly drop: DropReason }
  | { readonly contradicts: FindingId }
  | { readonly raises: Thread }
  | { readonly said: Thread | null; readonly regressionOf: FindingId | null } => {
  if (context.kept.some((other) => isSameFinding(finding, other.finding, context.threshold))) {
    return { drop: 'repeats another new finding' };
  }
  const grave = isGrave(finding.claim.severity);
  const { round, moved } = context.draft;
  const match = findThread(finding, context.history.threads, { round, moved, threshold: context.threshold });
  if (match === undefined) return grave || finding.onChangedHunk ? NEW : { drop: 'unchanged code' };
  if (match.state === 'dismissed')
    return isDismissed(finding, match, moved) ? { drop: 'repeats a dismissed finding' } : NEW;
  if (match.round === round) return { said: match, regressionOf: null };
  if (match.state === 'open') return repeatOfOpen(match, finding, context.draft);
  if (!grave) return { drop: 'repeats a closed finding' };
  // Nobody argues about it again; what it weighs is not forgotten.
  return match.state === 'resolved' ? { said: null, regressionOf: match.id } : { raises: match };
};

/** For good, unless its code has changed since: then it is another finding. */
const isDismissed = (
  { claim, fingerprint, onChangedHunk }: CheckedFinding,
  thread: Thread,
  moved: GatedDraft['moved'],
): boolean => {
  const then = moved.find(({ findingId }) => findingId === thread.id)?.citedCode ?? '';
  return fingerprint === thread.fingerprint || !onChangedHunk || quoteEachOther(then, claim.evidence);
};

const NEW = { said: null, regressionOf: null } as const;

/**
 * While the thread goes on the repeat adds nothing; to close it and to claim the same in one breath cannot both hold.
 * What blocks is not hidden behind a thread that does not.
 */
const repeatOfOpen = (thread: Thread, { claim }: CheckedFinding, { answers }: GatedDraft) => {
  const resolves = answers.some(({ findingId, action }) => findingId === thread.id && action === 'resolve');
  if (resolves) return { contradicts: thread.id };
  const hides = isBlocking(claim) && !thread.blocking && !isGrave(thread.severity);
  return hides ? NEW : { drop: 'repeats an open thread' as const };
};

/** More inline comments than this in one round help nobody: the graver ones come first, the rest is listed. */
export const MAX_OWN_THREADS = 50;

const numbered = (kept: readonly Kept[], history: History, finalRound: boolean): readonly Accepted[] => {
  const graverFirst = kept.toSorted((one, other) =>
    bySeverity(one.finding.claim.severity, other.finding.claim.severity),
  );
  const placed = graverFirst.filter(({ finding }) => finding.position !== null);
  const own = new Set(
    placed.filter(({ finding }) => !finalRound || isGrave(finding.claim.severity)).slice(0, MAX_OWN_THREADS),
  );
  let next = history.nextNumber;
  return kept.map((each) => ({
    id: each.said?.id ?? formatFindingId(next++),
    finding: each.finding,
    blocking: isBlocking(each.finding.claim),
    alreadySaid: each.said !== null,
    regressionOf: each.regressionOf,
    ownThread: own.has(each),
  }));
};
