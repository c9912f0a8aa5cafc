/** What no round may do, whatever was drafted. Each gives the breaches in words. */
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { GateResult } from '../../../shared/rounds/model/gate-result.ts';
import { calledFor } from '../../../shared/rounds/memory/handoffs.ts';
import type { Counts } from '../../../shared/rounds/model/counts.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import { mayBeSameInput } from '../../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import type { Setting } from './explore-world.ts';

export const saidTwice = ({ threads }: History, { accepted }: GateResult): readonly string[] =>
  accepted
    .filter(
      ({ alreadySaid, finding }) =>
        !alreadySaid &&
        threads.some(
          ({ state, fingerprint }) =>
            !['resolved', 'unverified'].includes(state) && fingerprint === finding.fingerprint,
        ),
    )
    .map(({ finding }) => `${finding.claim.title} is said twice`);

/** Of a settled thread one thing is heard: that it is shown fixed, and not claimed again. */
export const argued = ({ handled }: GateResult, { fixed = [], findings }: ReviewDraft): readonly string[] =>
  handled
    .filter(({ thread }) => thread.state !== 'open')
    .filter(
      ({ thread, next }) =>
        next.state !== 'resolved' ||
        next.count !== thread.count ||
        !fixed.some(({ findingId, shown }) => shown && findingId === thread.id) ||
        findings.some(({ fingerprint }) => fingerprint === thread.fingerprint),
    )
    .map(({ thread }) => `${thread.id} is settled and heard`);

/** A thread that nothing happened to is not over because a draft says so. */
export const resolvedIdle = ({ handled }: GateResult, { resolvable = [] }: ReviewDraft): readonly string[] =>
  handled
    .filter(({ thread, next }) => thread.state === 'open' && next.state === 'resolved')
    .filter(({ thread }) => !resolvable.some(({ findingId }) => findingId === thread.id))
    .map(({ thread }) => `${thread.id} is resolved though nothing happened to it`);

/** A reviewer may speak only in threads that were touched or answered. */
export const heardIdle = ({ handled }: GateResult, { resolvable = [] }: ReviewDraft): readonly string[] =>
  handled
    .filter(({ thread, answer }) => thread.state === 'open' && answer.action !== 'resolve')
    .filter(
      ({ thread }) =>
        !resolvable.some(({ findingId, why }) => findingId === thread.id && (why === 'touched' || why === 'answered')),
    )
    .map(({ thread }) => `${thread.id} is spoken in though nothing happened to it`);

type Counted = { readonly run: Run; readonly gated: GateResult; readonly max: number };

/** What a posted result counts as, computed apart from the product. A reply run counts as nothing. */
export const expectedCounts = (before: Counts, { run, gated, max }: Counted): Counts => {
  if (run.kind !== 'review') return before;
  if (!asksIn(gated)) return { ...before, silentReviews: before.silentReviews + 1 };
  return before.roundsUsed >= max ? before : { ...before, roundsUsed: before.roundsUsed + 1 };
};

/** Computed apart from the product. */
const asksIn = ({ handled, accepted, unverified }: GateResult): boolean => {
  const said = handled.filter(({ thread, answer }) => thread.state === 'open' && answer.action !== 'resolve');
  return accepted.length + unverified.length + said.length > 0;
};

export const countedWrongly = (expected: Counts, { summary }: PostPlan): readonly string[] => {
  const { rounds = 0, silent = 0, carried = 0 } = summary?.marker ?? {};
  const isRight =
    rounds === expected.roundsUsed && silent === expected.silentReviews && carried === expected.carriedHeads;
  return isRight ? [] : [`counts ${rounds}, ${silent}, ${carried} are posted instead of ${JSON.stringify(expected)}`];
};

/** A review number belongs to one input. */
export const numberedTwice = ({ reviewed }: History, run: Run): readonly string[] =>
  run.kind === 'review' && reviewed.some((each) => each.review === run.review && !mayBeSameInput(each, run))
    ? [`review ${run.review} is counted twice`]
    : [];

export const hungTwice = ({ inline }: PostPlan): readonly string[] =>
  new Set(inline.map(({ marker }) => marker.id)).size === inline.length ? [] : ['one plan posts a finding twice'];

export const falselyClean = (
  { threads }: History,
  { handled, accepted }: GateResult,
  { summary }: PostPlan,
): readonly string[] => {
  if (summary?.marker.verdict !== 'lgtm') return [];
  const after = threads.map((thread) => handled.find((each) => each.thread.id === thread.id)?.next ?? thread);
  const standing = after.filter(
    ({ state, severity }) => state !== 'resolved' && (severity === 'P0' || severity === 'P1'),
  );
  return standing.length + accepted.length === 0 ? [] : ['a pass although something blocks'];
};

type Writing = {
  readonly plan: PostPlan;
  /** What this adds to what the forge has. */
  readonly fresh: readonly MarkerPayload[];
  readonly forge: readonly MarkerPayload[];
};

const calledIn = (markers: readonly MarkerPayload[]): readonly number[] =>
  markers.flatMap((marker) => (marker.kind === 'handoff' ? [marker.episode] : []));

const inputsCalledFor = (markers: readonly MarkerPayload[]): readonly string[] =>
  markers.flatMap((marker) =>
    marker.kind === 'handoff' ? calledFor(marker).map(({ input }) => `${input.head} ${input.target}`) : [],
  );

/**
 * A human is called once for each episode, and told once of each input. A review that fails after it was posted may want to call again, and so may one
 * that somebody has asked for: the poster keeps these back. By itself nothing else may want to.
 */
export const calledAgain = ({ people }: Setting, { plan, fresh, forge }: Writing): readonly string[] => {
  const before = new Set(calledIn(forge));
  const told = new Set(inputsCalledFor(forge));
  const wanted = inputsCalledFor(plan.notices.map(({ marker }) => marker));
  const isHeldBack = plan.kind === 'give_up' || plan.kind === 'replies' || people.includes('ask');
  return [
    ...(calledIn(fresh).some((episode) => before.has(episode)) ? ['a human is called twice in an episode'] : []),
    ...(wanted.length > 1 ? ['one plan calls a human twice'] : []),
    ...(!isHeldBack && wanted.some((input) => told.has(input)) ? ['a human is to be called again for an input'] : []),
  ];
};

const SETTLING: ReadonlySet<string> = new Set(['veto', 'escalate']);

/** A person is called exactly where one is needed: in a thread that is settled, and in a hand-off. */
export const calledWrongly = ({ plan, fresh, forge }: Writing): readonly string[] => {
  const isFresh = ({ marker }: { readonly marker: MarkerPayload }): boolean => fresh.includes(marker);
  const inThreads = plan.replies.filter(isFresh).filter(({ marker, calls }) => {
    const isNeeded = marker.kind === 'reply' && SETTLING.has(marker.action);
    return isNeeded !== (calls !== undefined && calls.paths.length > 0);
  });
  const notices = plan.notices.filter(isFresh).filter(({ marker, mention, calls }) => {
    const isCall = mention && calls !== undefined;
    return (marker.kind === 'handoff') !== isCall;
  });
  return [
    ...inThreads.map(({ marker }) => `the call in a thread does not follow from its action: ${marker.kind}`),
    ...notices.map(({ marker }) => `the call of a ${marker.kind} is missing or too much`),
    ...settledSilently({ plan, fresh, forge }),
  ];
};

/** Only a reply in its thread may settle it. */
const settledSilently = ({ plan, forge }: Writing): readonly string[] => {
  if (plan.summary === null || plan.kind === 'answer') return [];
  const before = forge.flatMap((marker) => (marker.kind === 'summary' ? marker.ledger : []));
  const waits = (state: string | undefined): boolean => state === 'vetoed' || state === 'escalated';
  const called = new Set(
    [...forge, ...plan.replies.map(({ marker }) => marker)].flatMap((marker) =>
      marker.kind === 'reply' && SETTLING.has(marker.action) ? [marker.id] : [],
    ),
  );
  return plan.summary.marker.ledger
    .filter(({ id, state }) => waits(state) && !waits(before.find((old) => old.id === id)?.state) && !called.has(id))
    .map(({ id }) => `${id} waits for a person whom nobody called`);
};

/** The review that uses the last round calls a person, and so does each later one that finds more. */
export const lastRoundUntold = (
  { run, gated, max }: Counted,
  { plan, after }: { readonly plan: PostPlan; readonly after: Counts },
): readonly string[] => {
  if (run.kind !== 'review' || !asksIn(gated) || after.roundsUsed < max) return [];
  const isCalled = plan.notices.some(({ marker }) => marker.kind === 'handoff');
  return isCalled || plan.summary?.marker.verdict === 'lgtm' ? [] : ['no round is left, and nobody was called'];
};
