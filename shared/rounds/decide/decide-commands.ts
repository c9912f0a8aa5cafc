/** What commanders ask for beside reviews and fixes. Whoever may not command is not answered. */
import { answerTo } from './reply-to-command.ts';
import { change, type DecideInput, type Decision, isSettled, note } from './decision.ts';
import { want } from './decide-triggers.ts';
import type { Order } from '../model/facts.ts';
import { inputOf } from '../model/input.ts';
import { isPaused, type Say } from '../model/command-reply.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

export const applyOrders = (board: Decision, input: DecideInput): Decision =>
  input.policy.triggers.includes('mention')
    ? input.facts.orders.reduce((current, each) => applyOrder(current, each, input), board)
    : board;

const applyOrder = (board: Decision, to: Order, input: DecideInput): Decision => {
  if (!to.allowed) return note(board, 'nothing', 'its author may not command the bot');
  const { spoken } = to;
  switch (spoken.kind) {
    case 'pause':
      return pause(board, to, input);
    case 'resume':
      return resume(board, to, input);
    case 'dismiss':
      return answerTo(board, { to, say: dismissal(to, spoken, input) }, input);
    case 'explain':
      return answerTo(board, { to, say: explanation(spoken.findingId, input) }, input);
    case 'status':
    case 'help':
      return answerTo(board, { to, say: { kind: spoken.kind } }, input);
    case 'misread':
      return answerTo(board, { to, say: spoken }, input);
    default:
      return spoken satisfies never;
  }
};

/** A run at work ends as it would. What only waited is given up, and its status with it. */
const pause = (board: Decision, to: Order, input: DecideInput): Decision => {
  const { pauses, quiet, wanted, running } = board.state;
  const { changeRequest } = input.facts;
  const waits = running === null && (quiet ?? wanted) !== null;
  const pending = waits && changeRequest !== null && !isSettled(board.state, inputOf(changeRequest));
  const paused = isPaused(pauses) ? pauses : pauses + 1;
  const stopped = change(board, { pauses: paused, quiet: null, wanted: null, asked: null });
  return answerTo(stopped, { to, say: { kind: 'paused', pauses: paused, pending } }, input);
};

/** The present head is reviewed as if it had just been pushed. */
const resume = (board: Decision, to: Order, input: DecideInput): Decision => {
  const { pauses } = board.state;
  const resumed = isPaused(pauses) ? pauses + 1 : pauses;
  const answered = answerTo(
    change(board, { pauses: resumed }),
    { to, say: { kind: 'resumed', pauses: resumed } },
    input,
  );
  return resumed === pauses ? answered : want(answered, { explicit: false, call: null, why: 'reviews go on' }, input);
};

type Dismissal = Extract<Order['spoken'], { readonly kind: 'dismiss' }>;

const dismissal = ({ authorId }: Order, { findingId, reason }: Dismissal, { facts }: DecideInput): Say => {
  const thread = facts.history.threads.findLast(({ id }) => id === findingId);
  if (thread === undefined) return { kind: 'unknown_finding', findingId };
  return thread.state === 'resolved' || thread.state === 'dismissed'
    ? { kind: 'closed_already', findingId }
    : { kind: 'dismissed', findingId, by: authorId, reason };
};

const explanation = (findingId: FindingId, { facts }: DecideInput): Say =>
  facts.history.threads.some(({ id }) => id === findingId)
    ? { kind: 'explain', findingId }
    : { kind: 'unknown_finding', findingId };
