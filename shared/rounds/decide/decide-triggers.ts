import {
  type ForgeEvent,
  type ForgeEventKind,
  type InboxEvent,
  isBotNoise,
  type MessageEvent,
  type SweepEvent,
} from '../model/events.ts';
import { commandsOf } from '../commands/new-commands.ts';
import { isGrant, isSeenGrant } from '../commands/seen-commands.ts';
import { hearReviewer } from './decide-messages.ts';
import { change, type DecideInput, type Decision, isAsked, isInputSettled, note, emit } from './decision.ts';
import type { Trigger } from '../../vocabulary/trigger.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { whySkipped } from './filters.ts';
import { replyToCommand } from './reply-to-command.ts';
import { grantReview } from './grant-review.ts';
import { type Input, inputKey, inputOf, mayBeSameInput } from '../model/input.ts';
import type { GuardState } from '../model/state.ts';

export const applyTriggers = (decision: Decision, input: DecideInput): Decision =>
  followHead(
    input.events.reduce((current, event) => applyEvent(current, event, input), decision),
    input,
  );

/** Moves `wanted` to the newest input. Null if a run is already working on that input. */
const followHead = (decision: Decision, { facts: { changeRequest } }: DecideInput): Decision => {
  const { wanted, running } = decision.state;
  if (changeRequest === null || wanted === null) return decision;
  const present = inputOf(changeRequest);
  if (inputKey(wanted) === inputKey(present) && wanted.targetHead === present.targetHead) return decision;
  if (mayBeSameInput(wanted, present)) return change(decision, { wanted: present });
  return change(decision, { wanted: running !== null && mayBeSameInput(running, present) ? null : present });
};

const applyEvent = (decision: Decision, event: InboxEvent, input: DecideInput): Decision => {
  switch (event.source) {
    case 'run':
    case 'post':
    case 'wake':
    case 'fix':
    case 'outage':
      return decision;
    case 'sweep':
      return applySweep(decision, event, input);
    case 'forge':
      return applyForgeEvent(decision, event, input);
    case 'message':
      return applyMessage(decision, event, input);
    default:
      return event satisfies never;
  }
};

/** A sweep also finds review commands whose webhook was lost. If there are none, it only reports an open head. */
const applySweep = (decision: Decision, event: SweepEvent, input: DecideInput): Decision => {
  const call = pickCall(commandsOf(event, input.facts.requests));
  if (call === null || !input.policy.triggers.includes('mention')) {
    return requestReview(decision, { explicit: false, call: null, why: 'the sweep found an open head' }, input);
  }
  return requestReview(decision, { explicit: true, call, why: 'the sweep found a mention' }, input);
};

/** The sender has a token from the operator, so the request counts like a commander's and is subject to the same caps. */
const applyMessage = (decision: Decision, event: MessageEvent, input: DecideInput): Decision => {
  switch (event.kind) {
    case 'review_request':
      return requestReview(decision, { explicit: true, call: null, why: 'an author requested a review' }, input);
    case 'review_addressed':
      return note(decision, 'nothing', 'an author reported what it addressed; the next review reads the report');
    case 'review_feedback':
    case 'review_lgtm':
      return hearReviewer(decision, event);
    default:
      return event.kind satisfies never;
  }
};

const applyForgeEvent = (decision: Decision, event: ForgeEvent, input: DecideInput): Decision => {
  const { botIds, otherBotIds } = input.facts;
  if (isBotNoise(event, botIds) || isBotNoise(event, otherBotIds)) {
    return note(decision, 'nothing', 'a bot caused the event');
  }
  if (isGrant(event)) return applyGrant(decision, event, input);
  if (mayPassFilter(event, input))
    return requestReview(decision, { explicit: false, call: null, why: 'a filtered property has changed' }, input);
  const answer = triggerOf(event, input);
  if ('ignored' in answer) return note(decision, 'nothing', answer.ignored);
  if (!input.policy.triggers.includes(answer.trigger))
    return note(decision, 'nothing', `the trigger ${answer.trigger} is off`);
  const isRequest = isCommandersRequest(event, input);
  const explicit = answer.trigger === 'mention' || isRequest;
  const button = isRequest && event.byOperator !== true ? event.id : null;
  return requestReview(
    decision,
    { explicit, call: answer.call ?? null, button, why: `trigger ${answer.trigger}` },
    input,
  );
};

/** An operator's grant overrides the triggers, too. A crash may repeat the event, but grants nothing twice. */
const applyGrant = (decision: Decision, event: ForgeEvent, input: DecideInput): Decision => {
  if (isSeenGrant(input.facts.seenCommands, event)) return note(decision, 'nothing', 'this round was already granted');
  const why = `an operator granted a round (${event.actorLogin ?? 'unknown'})`;
  return requestReview(decision, { explicit: true, call: null, button: event.id, full: true, why }, input);
};

/** True if a commander used the forge's review button. For anyone else, the button is an ordinary trigger, subject to all filters. */
const isCommandersRequest = ({ kind, actorId, byOperator }: ForgeEvent, { facts }: DecideInput): boolean =>
  kind === 'review_requested' && (byOperator === true || (actorId !== null && facts.mayRequest?.has(actorId) === true));

/** True if the event may change the result of a filter. If there are no filters, such events are ignored. */
const mayPassFilter = ({ kind }: ForgeEvent, { policy }: DecideInput): boolean =>
  (kind === 'metadata' || kind === 'retargeted') &&
  (policy.triggers.includes('opened') || policy.triggers.includes('pushed')) &&
  Object.values(policy.filters).some((patterns) => patterns.length > 0);

/** Maps each kind of event to its trigger; null if the event starts no review by itself. */
const TRIGGERS: Readonly<Record<ForgeEventKind, Trigger | null>> = {
  opened: 'opened',
  pushed: 'pushed',
  reopened: 'reopened',
  ready: 'ready',
  review_requested: 'review_requested',
  comment: 'mention',
  metadata: null,
  became_draft: null,
  retargeted: 'pushed',
  comment_edited: null,
  human_review: 'mention',
  reaction: null,
  pipeline: null,
  closed: null,
  merged: null,
};

type Answer = { readonly trigger: Trigger; readonly call?: ReviewCommand } | { readonly ignored: string };

const triggerOf = (event: ForgeEvent, input: DecideInput): Answer => {
  const trigger = TRIGGERS[event.kind];
  if (trigger === null) return { ignored: `${event.kind} does not request a review` };
  if (trigger === 'mention') return requestedBy(event, input);
  if (trigger === 'review_requested' && !asksBot(event, input)) {
    return { ignored: 'a review by somebody else was requested' };
  }
  return { trigger };
};

/** If the event contains no reviewer id, several reviewers were requested at once, and the forge's list of reviewers is used. */
const asksBot = ({ requestedReviewerId }: ForgeEvent, { facts }: DecideInput): boolean => {
  if (requestedReviewerId !== null) return facts.botIds.has(requestedReviewerId);
  return facts.changeRequest?.reviewers.some(({ id }) => facts.botIds.has(id)) ?? false;
};

const requestedBy = (event: ForgeEvent, { facts }: DecideInput): Answer => {
  const calls = commandsOf(event, facts.requests);
  if (calls.length === 0) return { ignored: `the ${WORDS[event.kind] ?? event.kind} does not address the bot` };
  const call = pickCall(calls);
  if (call === null) return { ignored: 'the author of the comment may not give the bot commands' };
  return { trigger: 'mention', call };
};

const WORDS: Readonly<Partial<Record<ForgeEventKind, string>>> = { human_review: 'review' };

/** Several commands in one submitted review count as one command. A comment that can get a reaction is preferred. */
const pickCall = (calls: readonly ReviewCommand[]): ReviewCommand | null => {
  const allowed = calls.filter((call) => call.allowed);
  return allowed.find((call) => reactableId(call) !== null) ?? allowed[0] ?? null;
};

/** Returns null for the body of a review: no forge accepts a reaction to the id of a review. */
const reactableId = ({ kind, noteId }: ReviewCommand): number | null => (kind === 'review_body' ? null : noteId);

/** `call`: the commander's comment; null for other triggers. `button`: the event's id if a commander used the review button. */
type ReviewTrigger = {
  readonly explicit: boolean;
  readonly call: ReviewCommand | null;
  readonly button?: string | null;
  /** True if the whole change is reviewed, which grants a round. Absent means that `call` decides. */
  readonly full?: boolean;
  readonly why: string;
};

const grantFor = (before: Decision, { call, button = null, full = false }: ReviewTrigger, input: DecideInput) =>
  call === null && button === null ? null : grantReview(before, call ?? { full }, input);

/** An explicit request overrides draft, filters and the quiet time. Nothing overrides an existing verdict. */
export const requestReview = (before: Decision, wish: ReviewTrigger, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  if (changeRequest === null) return before;
  const { call, button = null } = wish;
  const grant = grantFor(before, wish, input);
  // Resetting `reevaluatedFor` lets the verdict be judged again for the commander.
  if (grant?.kind === 'reply')
    return replyToCommand(change(before, { reevaluatedFor: null }), { to: call ?? button, say: grant.say }, input);
  const decision = grant?.decision ?? before;
  const refusal = whyNotReviewed(decision, wish, input);
  if (refusal !== null) return note(decision, 'nothing', refusal);
  const { head } = changeRequest;
  const seen = acknowledge(decision, wish, input);
  const wanted = inputOf(changeRequest);
  if (wish.explicit || input.policy.quietMs === 0 || isFirst(seen.state, wanted)) {
    return note(change(seen, { wanted, quiet: null }), 'want', wish.why);
  }
  const untilMs = input.nowMs + input.policy.quietMs;
  const waiting = change(seen, { quiet: { head, untilMs } });
  const event: InboxEvent = { source: 'wake', id: `quiet-${head}-${untilMs}`, atMs: input.nowMs };
  return emit(
    waiting,
    { kind: 'schedule', event, delayMs: input.policy.quietMs + 50 },
    `${wish.why}; waiting for quiet`,
  );
};

/** True for the first input. The quiet time is for later pushes; a first input waits only while the forge computes the diff. */
const isFirst = ({ runsUsed, reviewed, closed, quiet }: GuardState, { base }: Input): boolean =>
  base !== null && runsUsed === 0 && quiet === null && reviewed.length + closed.length === 0;

/** Orders an acknowledgement. The poster posts it once per head and comment. */
const acknowledge = (decision: Decision, { call, why }: ReviewTrigger, { facts, freshRunId }: DecideInput): Decision =>
  facts.changeRequest === null
    ? decision
    : emit(
        decision,
        {
          kind: 'acknowledge',
          input: inputOf(facts.changeRequest),
          noteId: call === null ? null : reactableId(call),
          noticeId: freshRunId,
        },
        why,
      );

/** Returns why a review is not permitted; null if it is. */
export const whyNotReviewed = (
  decision: Decision,
  wish: ReviewTrigger,
  { facts, policy }: DecideInput,
): string | null => {
  const { changeRequest } = facts;
  if (changeRequest === null) return 'the change request does not exist any more';
  const { state } = decision;
  const { head } = changeRequest;
  const present = inputOf(changeRequest);
  if (isInputSettled(state, present) && !isAsked(state, present)) return 'this input already has its verdict';
  if (state.running !== null && mayBeSameInput(state.running, present)) return 'this input is being reviewed';
  if (state.wanted !== null && mayBeSameInput(state.wanted, present)) return 'a review of this input already waits';
  if (state.quiet?.head === head && !wish.explicit) return 'this head already waits for quiet';
  if (wish.explicit) return null;
  return whySkipped(changeRequest, policy, state.pauses);
};
