/**
 * Reviews the pushes of a change request one after the other, with the decisions, plans and comments of a server, but
 * without a server: guard's `decide` orders effects, and this loop carries them out at once, in this process.
 */
import type { ChangeRequestFacts } from '../../../../shared/forge/port-facts.ts';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import { reconcile, withCounts } from '../../../../shared/rounds/memory/reconcile.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import type { Effect, EffectOf } from '../../../../shared/rounds/model/effect.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import type { PlanContext } from '../../../../shared/rounds/model/posting/plan-context.ts';
import type { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { withDraftCap, withRepositoryCap } from '../../../../shared/rounds/model/repository-rules.ts';
import type { Run } from '../../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../../shared/rounds/plan/cap-plan.ts';
import { buildCarriedPlan } from '../../../../shared/rounds/plan/carried-plan.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { inOneComment } from '../../../../shared/rounds/plan/in-one-comment.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import type { SeenReview } from '../../../../shared/eval/result.ts';
import { type CommitSha, RunId } from '../../../../shared/vocabulary/ids.ts';
import { buildBrief } from '../../../guard/build-brief.ts';
import { createCommentList, type CommentList } from './comment-list.ts';
import type { ChangeWords } from '../../review/review-local.ts';
import { factsAt, LOCAL_POLICY, NOTHING_ASKED, PAGE, pushEvent } from './local-change-request.ts';
import type { PushReviewed, ReviewPush } from './review-push.ts';
import { seenIn } from './seen-review.ts';

export type Pushes = {
  readonly words: ChangeWords;
  readonly base: CommitSha;
  readonly heads: readonly CommitSha[];
  readonly reviewPush: ReviewPush;
};

type Playing = {
  readonly list: CommentList;
  readonly reviewPush: ReviewPush;
  readonly signal: AbortSignal;
  facts: ChangeRequestFacts;
  state: GuardState | null;
  draft: ReviewDraft | null;
  lastFailure: Extract<PushReviewed, { readonly kind: 'failed' }> | null;
  /** What the last status said. */
  said: string;
  ticks: number;
  isUnpaid: boolean;
};

/** One review for each push; null if the budget ended before all were done. */
export const playPushes = async (
  { words, base, heads, reviewPush }: Pushes,
  signal: AbortSignal,
): Promise<readonly SeenReview[] | null> => {
  const [first = base] = heads;
  const playing: Playing = {
    list: createCommentList(),
    reviewPush,
    signal,
    facts: factsAt(words, { base, head: first }),
    state: null,
    draft: null,
    lastFailure: null,
    said: '',
    ticks: 0,
    isUnpaid: false,
  };
  const seen: SeenReview[] = [];
  for (const [push, head] of heads.entries()) {
    playing.facts = factsAt(words, { base, head });
    await settle(playing, pushEvent(push, head, nowOf(playing)));
    if (playing.isUnpaid) return null;
    seen.push(seenIn(playing.list.history(), inputOf(playing.facts), playing.said));
  }
  return seen;
};

const TICK_MS = 1_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);

/** The clock counts the decisions, so that no deadline passes and the same reviews give the same comments. */
const nowOf = ({ ticks }: Playing): number => BEGIN_MS + ticks * TICK_MS;

const RUN_ID_LENGTH = 20;

const runIdOf = ({ ticks }: Playing): RunId => RunId.parse(String(ticks).padStart(RUN_ID_LENGTH, '0'));

/** A push has at most a few attempts, each with a few reports. */
const MAX_DECISIONS = 100;

const settle = async (playing: Playing, first: InboxEvent): Promise<void> => {
  let events: readonly InboxEvent[] = [first];
  for (let decisions = 0; events.length > 0; decisions += 1) {
    if (decisions >= MAX_DECISIONS) throw new Error(`the push was not settled after ${MAX_DECISIONS} decisions`);
    events = await attend(playing, events);
  }
};

/** One decision with its effects, and another one if the first asked for a slot. Returns the reports on the effects. */
const attend = async (playing: Playing, events: readonly InboxEvent[]): Promise<readonly InboxEvent[]> => {
  playing.signal.throwIfAborted();
  playing.ticks += 1;
  const history = playing.list.history();
  const state = reconcile(playing.state, history);
  const policy = withRepositoryCap(LOCAL_POLICY, history);
  const decision = decide({
    state,
    events,
    facts: {
      ...NOTHING_ASKED,
      changeRequest: playing.facts,
      history: withCounts(history, state),
      draft: playing.draft,
    },
    policy,
    nowMs: nowOf(playing),
    freshRunId: runIdOf(playing),
  });
  playing.state = { ...decision.state, outbox: [] };
  const reports: InboxEvent[] = [];
  for (const effect of decision.state.outbox) reports.push(...(await carryOut(playing, effect)));
  if (!decision.state.outbox.some(({ kind }) => kind === 'acquire_slot')) return reports;
  playing.state = { ...playing.state, slotHeld: true };
  return [...reports, ...(await attend(playing, []))];
};

const contextOf = ({ list, state, facts }: Playing, draft: ReviewDraft | null = null): PlanContext => {
  const history = list.history();
  const policy = withDraftCap(withRepositoryCap(LOCAL_POLICY, history), draft?.repository);
  return {
    facts,
    mention: NOTHING_ASKED.mention,
    history: state === null ? history : withCounts(history, state),
    policy,
  };
};

type Carry<Of extends Effect['kind']> = (playing: Playing, effect: EffectOf<Of>) => Promise<readonly InboxEvent[]>;

const nothing = async (): Promise<readonly InboxEvent[]> => [];

const CARRIERS: { readonly [Of in Effect['kind']]: Carry<Of> } = {
  announce: async (playing, effect) => post(playing, buildAnnouncePlan(contextOf(playing), effect)),
  review: async (playing, { run }) => review(playing, run),
  post_review: async (playing, effect) => postReview(playing, effect),
  post_carried: async (playing, effect) => postCarried(playing, effect),
  give_up: async (playing, effect) => post(playing, giveUpPlan(playing, effect)),
  post_cap: async (playing, effect) => {
    await post(playing, buildCapPlan(contextOf(playing), effect));
    return [];
  },
  // Statuses, slots and timers.
  acknowledge: nothing,
  acquire_slot: nothing,
  release_slot: nothing,
  schedule: nothing,
  withdraw_approval: nothing,
  write_status: nothing,
  // Only people, outages, CI or an author cause these.
  announce_fix: nothing,
  answer: nothing,
  fix: nothing,
  post_closed: nothing,
  post_replies: nothing,
  refuse_fix: nothing,
  resume_review: nothing,
  tell_author: nothing,
  tell_fix: nothing,
  tell_outage: nothing,
};

const carryOut = async (playing: Playing, effect: Effect): Promise<readonly InboxEvent[]> => {
  // The key and the effect have the same kind, but TypeScript cannot infer this through a table.
  const carry = CARRIERS[effect.kind] as Carry<Effect['kind']>;
  return carry(playing, effect);
};

const post = async (playing: Playing, plan: PostPlan): Promise<readonly InboxEvent[]> => {
  await playing.list.post(plan, playing.signal);
  if (plan.status !== null) playing.said = plan.status.description;
  const { planId, runId } = plan;
  const id = `posted-${planId}`;
  return [{ source: 'post', id, atMs: nowOf(playing), runId, planId, outcome: 'posted', code: null }];
};

const postReview = async (playing: Playing, { run, gated, ci }: EffectOf<'post_review'>) => {
  const { draft } = playing;
  if (draft === null) throw new Error('a review is posted without a draft');
  return post(playing, buildReviewPlan({ ...contextOf(playing, draft), run, draft, gated, ci }));
};

const postCarried = async (playing: Playing, { run, ci }: EffectOf<'post_carried'>) => {
  const { carried } = run;
  const plan = carried === undefined ? null : buildCarriedPlan(contextOf(playing), { run, carried, ci });
  if (plan === null) throw new Error('a verdict is carried that the change request does not have');
  return post(playing, plan);
};

const giveUpPlan = (playing: Playing, { run, code }: EffectOf<'give_up'>): PostPlan => {
  const context = contextOf(playing);
  const lastWords = playing.lastFailure?.lastWords ?? null;
  return inOneComment(buildGiveUpPlan(context, run, { code, lastWords }), context.history);
};

const review = async (playing: Playing, run: Run): Promise<readonly InboxEvent[]> => {
  const { facts, history, policy } = contextOf(playing);
  const { list, signal } = playing;
  const git = { url: PAGE, headRef: 'change' };
  const { botIds } = NOTHING_ASKED;
  const brief = buildBrief({ run, facts, history, policy, git, comments: list.comments(), botIds });
  const reviewed = await playing.reviewPush(brief, signal);
  const common = { source: 'run', atMs: nowOf(playing), runId: run.runId } as const;
  const id = `${reviewed.kind}-${run.runId}`;
  switch (reviewed.kind) {
    case 'drafted':
      playing.draft = reviewed.draft;
      return [{ ...common, id, kind: 'drafted', code: null }];
    case 'same_input':
      return [{ ...common, id, kind: 'same_input', code: null, carried: reviewed.carried }];
    case 'failed':
      playing.lastFailure = reviewed;
      return [{ ...common, id, kind: 'failed', code: reviewed.code }];
    case 'unpaid':
      playing.isUnpaid = true;
      return [];
    default:
      return reviewed satisfies never;
  }
};
