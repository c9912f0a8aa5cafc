/** Handles commands other than review and fix requests. People who may not give commands get no answer. */
import { replyToCommand } from './reply-to-command.ts';
import { change, type DecideInput, type Decision, isInputSettled, note } from './decision.ts';
import { requestReview } from './decide-triggers.ts';
import { situationOf } from './situation-of.ts';
import type { CommandRequest } from '../model/facts.ts';
import { inputOf } from '../model/input.ts';
import { isPaused, type CommandReply } from '../model/command-reply.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

export const applyCommands = (decision: Decision, input: DecideInput): Decision =>
  input.policy.triggers.includes('mention')
    ? input.facts.orders.reduce((current, each) => applyOrder(current, each, input), decision)
    : decision;

const applyOrder = (decision: Decision, to: CommandRequest, input: DecideInput): Decision => {
  if (!to.allowed) return note(decision, 'nothing', 'the author of the comment may not give the bot commands');
  const { spoken } = to;
  switch (spoken.kind) {
    case 'pause':
      return pause(decision, to, input);
    case 'resume':
      return resume(decision, to, input);
    case 'dismiss':
      return replyToCommand(decision, { to, say: dismissal(to, spoken, input) }, input);
    case 'explain':
      return replyToCommand(decision, { to, say: explanation(spoken.findingId, input) }, input);
    case 'status':
    case 'why':
      return replyToCommand(
        decision,
        { to, say: { kind: spoken.kind, now: situationOf(decision.state, input) } },
        input,
      );
    case 'help':
      return replyToCommand(decision, { to, say: { kind: 'help' } }, input);
    case 'misread':
      return replyToCommand(decision, { to, say: spoken }, input);
    default:
      return spoken satisfies never;
  }
};

/** A running review is completed. A review that waits is cancelled, and the answer ends its pending status. */
const pause = (decision: Decision, to: CommandRequest, input: DecideInput): Decision => {
  const { pauses, quiet, wanted, running } = decision.state;
  const { changeRequest } = input.facts;
  const waits = running === null && (quiet ?? wanted) !== null;
  const pending = waits && changeRequest !== null && !isInputSettled(decision.state, inputOf(changeRequest));
  const paused = isPaused(pauses) ? pauses : pauses + 1;
  const stopped = change(decision, { pauses: paused, quiet: null, wanted: null, asked: null });
  return replyToCommand(stopped, { to, say: { kind: 'paused', pauses: paused, pending } }, input);
};

const resume = (decision: Decision, to: CommandRequest, input: DecideInput): Decision => {
  const { pauses } = decision.state;
  const resumed = isPaused(pauses) ? pauses + 1 : pauses;
  const answered = replyToCommand(
    change(decision, { pauses: resumed }),
    { to, say: { kind: 'resumed', pauses: resumed } },
    input,
  );
  return resumed === pauses
    ? answered
    : requestReview(answered, { explicit: false, call: null, why: 'reviews continue' }, input);
};

type Dismissal = Extract<CommandRequest['spoken'], { readonly kind: 'dismiss' }>;

const dismissal = (
  { authorId }: CommandRequest,
  { findingId, reason, always }: Dismissal,
  { facts }: DecideInput,
): CommandReply => {
  const thread = facts.history.threads.findLast(({ id }) => id === findingId);
  if (thread === undefined) return { kind: 'unknown_finding', findingId };
  if (thread.state === 'resolved' || thread.state === 'dismissed')
    return always === undefined ? { kind: 'closed_already', findingId } : { kind: 'proposed', findingId, reason };
  return { kind: 'dismissed', findingId, by: authorId, reason, ...(always === undefined ? {} : { always }) };
};

const explanation = (findingId: FindingId, { facts }: DecideInput): CommandReply =>
  facts.history.threads.some(({ id }) => id === findingId)
    ? { kind: 'explain', findingId }
    : { kind: 'unknown_finding', findingId };
