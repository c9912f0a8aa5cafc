/** Filters a draft to what may be posted. Everything that is dropped is recorded with a reason. */
import { bySeverity, isBlocking, isGrave } from '../model/blocking.ts';
import { stageOf } from '../model/counts.ts';
import type { CheckedFinding } from '../model/draft.ts';
import { type FindingId, formatFindingId } from '../../vocabulary/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { History, Thread } from '../model/history.ts';
import type { ReplyScope } from '../model/marker-payload.ts';
import { relationAfter } from '../model/relation.ts';
import { takeFixes, takeRefutations } from './gate-fixed.ts';
import { type GatedDraft, isSaidAlready, judge, type Kept } from './gate-judge.ts';
import type { Accepted, Dropped, GateResult, Left } from '../model/gate-result.ts';
import { type Chosen, chooseThreads } from './choose-threads.ts';
import { handleThreads } from './gate-threads.ts';
import { createFindIgnore } from './ignored.ts';
import { IGNORED, isTooLight, TOO_LIGHT } from '../model/repository-rules.ts';
import type { ThreadAnswer } from '../../vocabulary/finding.ts';

/**
 * `policy`: the policy at the start of the review, which applies to its answers. `now`: the policy with the cap that
 * the review read from the target branch.
 */
export const gate = (
  draft: GatedDraft,
  before: History,
  policy: Pick<Policy, 'rounds'>,
  now: Pick<Policy, 'rounds'> = policy,
): GateResult => {
  const history = withRelations(before, draft);
  const open = openThreads(history, draft.review);
  const { handled, left, violations } = handleThreads(open, withoutDismissed(draft.answers, history), {
    threadCount: policy.rounds.threadCount,
    stage: stageOf(history, policy.rounds),
    cutShort: draft.exceeded !== null,
    unanswered: draft.unanswered ?? [],
    resolvable: draft.resolvable ?? [],
  });
  const sorted = sortFindings(draft, history, policy);
  const { duplicateThreshold } = policy.rounds;
  const over = [
    ...takeFixes(draft, history, duplicateThreshold),
    ...takeRefutations(draft, history, duplicateThreshold),
  ];
  const gone = new Set([...over.map(({ thread }) => thread), ...sorted.kept.map(({ confirms }) => confirms)]);
  const chosen = chooseThreads(sorted.kept, history, now.rounds);
  const { accepted, next } = numbered(chosen, history);
  return {
    accepted,
    unverified: sorted.unverified.map((finding, index) => ({ id: formatFindingId(next + index), finding })),
    dropped: [...sorted.dropped, ...chosen.dropped],
    handled: [...handled, ...over],
    left: [...left, ...halfPosted(history, draft.review, chosen.kept)],
    standing: history.threads
      .filter((thread) => thread.state !== 'open' && thread.review < draft.review && !gone.has(thread))
      .map((thread) => raise(thread, sorted.raised)),
    reopened: [...new Set(sorted.reopened)],
    raisedAgain: [...new Set(sorted.raised.map(({ thread }) => thread.id))],
    violations: [...violations, ...sorted.contradictions],
  };
};

/** Updates each thread's relation to the current change, if the draft knows it. */
const withRelations = (history: History, { moved }: GatedDraft): History => ({
  ...history,
  threads: history.threads.map((thread) => ({ ...thread, ...relationAfter(thread, moved) })),
});

/** Drops answers to threads that a commander dismissed during the review. */
const withoutDismissed = (answers: readonly ThreadAnswer[], { threads }: History): readonly ThreadAnswer[] =>
  answers.filter(({ findingId }) => !threads.some(({ id, state }) => id === findingId && state === 'dismissed'));

/** Gates a reply run, which accepts no new finding. Threads closed in the meantime need no answer; all others do. */
export const gateReplies = (
  draft: GatedDraft,
  history: History,
  { policy, scope }: { readonly policy: Pick<Policy, 'rounds'>; readonly scope: ReplyScope },
): GateResult => {
  const open = threadsInScope(history, scope);
  const ids = new Set(open.map(({ id }) => id));
  const isOver = ({ findingId }: ThreadAnswer): boolean => !ids.has(findingId) && scope.threads.includes(findingId);
  const { threadCount } = policy.rounds;
  // People have replied in each of these threads, so each may be resolved.
  const resolvable = open.map(({ id }) => ({ findingId: id, why: 'answered' as const }));
  const stage = stageOf(history, policy.rounds) === 'closing' ? 'final' : 'open';
  const rules = { threadCount, stage, cutShort: false, unanswered: [], resolvable } as const;
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
    reopened: [],
    ...threads,
    standing: history.threads.filter(({ id }) => !ids.has(id)),
  };
};

export const threadsInScope = ({ threads }: History, scope: ReplyScope): readonly Thread[] =>
  threads.filter(({ id, state }) => state === 'open' && scope.threads.includes(id));

/** The open threads of earlier reviews. A thread that an interrupted attempt of this review posted needs no answer yet. */
export const openThreads = (history: History, review: number): readonly Thread[] =>
  history.threads.filter((thread) => thread.state === 'open' && thread.review < review);

/** Finds threads that an earlier attempt of this review posted and that this attempt does not repeat. They stay open. */
const halfPosted = (history: History, review: number, kept: readonly Kept[]): readonly Left[] => {
  const said = new Set(kept.map((each) => each.said));
  return history.threads
    .filter((thread) => thread.state === 'open' && thread.review >= review && !said.has(thread))
    .map((thread) => ({ thread, why: 'half_posted' }));
};

type Raised = { readonly thread: Thread; readonly finding: CheckedFinding };
type Sorted = {
  kept: Kept[];
  unverified: CheckedFinding[];
  dropped: Dropped[];
  raised: Raised[];
  reopened: FindingId[];
  contradictions: string[];
};

/** Blocking findings are judged first, so that the more severe of two duplicates is kept. */
const sortFindings = (draft: GatedDraft, history: History, policy: Pick<Policy, 'rounds'>): Sorted => {
  const sorted: Sorted = { kept: [], unverified: [], dropped: [], raised: [], reopened: [], contradictions: [] };
  const findIgnore = createFindIgnore(draft.repository?.ignores);
  for (const finding of draft.findings.toSorted(graverFirst)) {
    const entry = findIgnore(finding);
    const verdict = judge(finding, { draft, history, threshold: policy.rounds.duplicateThreshold, kept: sorted.kept });
    if (entry !== null && !isSaidAlready(verdict)) {
      sorted.dropped.push({ title: finding.claim.title, reason: IGNORED, entry });
      continue;
    }
    if ('reopens' in verdict) sorted.reopened.push(verdict.reopens);
    if ('contradicts' in verdict) sorted.contradictions.push(`${verdict.contradicts} is resolved and raised again`);
    else if ('drop' in verdict) sorted.dropped.push({ title: finding.claim.title, reason: verdict.drop });
    else if (isGrave(finding.claim.severity) && !finding.evidenced) sorted.unverified.push(finding);
    else if ('said' in verdict && verdict.said === null && isTooLight(finding.claim, draft.repository))
      sorted.dropped.push({ title: finding.claim.title, reason: TOO_LIGHT });
    else if ('raises' in verdict) sorted.raised.push({ thread: verdict.raises, finding });
    else sorted.kept.push({ finding: asConfirmed(finding, verdict.confirms), ...verdict });
  }
  const drafted = new Map(draft.findings.map((finding, index) => [finding, index]));
  const indexOf = ({ finding }: Kept): number => drafted.get(finding) ?? 0;
  sorted.kept.sort((one, other) => indexOf(one) - indexOf(other));
  return sorted;
};

/** A confirmed claim keeps the fingerprint that the ledger has for it. */
const asConfirmed = (finding: CheckedFinding, confirms: Thread | null): CheckedFinding =>
  confirms === null ? finding : { ...finding, fingerprint: confirms.fingerprint };

const graverFirst = ({ claim: one }: CheckedFinding, { claim: other }: CheckedFinding): number =>
  Number(isBlocking(other)) - Number(isBlocking(one)) || bySeverity(one.severity, other.severity);

/** A settled thread whose finding is raised again keeps the higher severity. */
const raise = (thread: Thread, raised: readonly Raised[]): Thread => {
  const severities = raised
    .filter((each) => each.thread === thread && isBlocking(each.finding.claim))
    .map(({ finding }) => finding.claim.severity);
  const [severity = thread.severity] = [thread.severity, ...severities].toSorted(bySeverity);
  return { ...thread, severity, blocking: thread.blocking || severities.length > 0 };
};

type Numbered = { readonly accepted: readonly Accepted[]; readonly next: number };

const numbered = ({ kept, own }: Chosen, history: History): Numbered => {
  let next = history.nextNumber;
  const accepted = kept.map((each) => ({
    id: each.said?.id ?? each.confirms?.id ?? formatFindingId(next++),
    finding: each.finding,
    blocking: isBlocking(each.finding.claim),
    alreadySaid: each.said !== null,
    regressionOf: each.regressionOf,
    ownThread: own.has(each),
  }));
  return { accepted, next };
};
