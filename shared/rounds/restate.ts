/**
 * A dismissal may change the verdict of a head that was reviewed, and so may CI that was repaired there. Both are read
 * from the forge, so neither a crash nor a wipe of Redis loses them; a round in progress looks at them itself.
 */
import { change, type DecideInput, type Decision, enterPhase, order } from './decision.ts';
import { lastReviewed } from './fix-conditions.ts';
import type { History } from './history.ts';
import type { GuardState, Run } from './state.ts';
import { judgeTalk } from './verdict.ts';
import type { CommitSha } from './vocabulary.ts';

/** A run without a reviewer: it waits for CI where a pass needs that, then the poster says the verdict. */
export const restateVerdict = (board: Decision, input: DecideInput): Decision => {
  const { facts, nowMs, policy, freshRunId } = input;
  const head = facts.changeRequest?.head;
  if (head === undefined || !isIdle(board.state)) return board;
  const dismissals = staleFor(facts.history, head);
  const key = dismissals ?? (facts.ci?.kind === 'passed' && isHeldByCi(facts.history, head) ? repairedKey(head) : null);
  if (key === null || board.state.restated === key) return board;
  const run: Run = {
    runId: freshRunId,
    head,
    round: Math.max(1, board.state.roundsDone),
    attempt: 1,
    mustFinish: false,
    phase: 'announcing',
    planId: null,
    talk: { threads: [], note: 0 },
    deadlineMs: nowMs,
  };
  const waiting = enterPhase(run, 'waiting_ci', null, nowMs + policy.gate.ciDeadlineMs);
  return order(
    change(board, { running: waiting, restated: key }),
    { kind: 'schedule', event: { source: 'wake', id: `restate-${freshRunId}`, atMs: nowMs }, delayMs: 0 },
    dismissals === null ? 'CI has passed at this head since' : 'a dismissal changes the verdict',
  );
};

const isIdle = ({ running, wanted, quiet, fixing }: GuardState): boolean =>
  running === null && wanted === null && quiet === null && fixing === null;

/** At most once for each head: CI that comes and goes must not make the bot talk for ever. A commander may ask again. */
const repairedKey = (head: CommitSha): string => `${head} ci`;

/** Whether nothing but its CI keeps this head, which was reviewed last, from a pass. */
export const isHeldByCi = (history: History, head: CommitSha): boolean => {
  const entry = lastReviewed(history);
  return (
    entry !== null &&
    entry.head === head &&
    entry.onlyCi === true &&
    judgeTalk(entry, history.threads).verdict === 'lgtm'
  );
};

/** Whether it is worth asking the forge for CI although nothing is at work. */
export const mayBeRepaired = (state: GuardState, history: History, head: CommitSha): boolean =>
  isIdle(state) && state.restated !== repairedKey(head) && isHeldByCi(history, head);

/** Names the dismissals that the verdict does not know of yet; null when it stands. What CI said is not asked again. */
const staleFor = (history: History, head: CommitSha): string | null => {
  const entry = lastReviewed(history);
  const dismissed = history.threads.filter(({ state }) => state === 'dismissed');
  if (entry?.head !== head || entry.onlyCi === true || dismissed.length === 0) return null;
  const { verdict } = judgeTalk(entry, history.threads);
  return verdict === entry.verdict ? null : `${head} ${dismissed.map(({ id }) => id).join(' ')}`;
};
