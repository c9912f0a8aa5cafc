/** A decision in the log, in the metrics, and as `fixpoint why` shows it. */
import type { Logger } from 'pino';
import type { Metrics } from '../../../shared/metrics.ts';
import type { Step } from '../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { DecisionRecord } from '../../../shared/store/decisions.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

type Seen = { readonly facts: Pick<Facts, 'changeRequest'>; readonly events: readonly InboxEvent[] };

type Telling = {
  readonly of: ChangeRequest;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'decisions'>;
};

export const tellDecision = (
  { of, log, metrics }: Telling,
  { facts }: Pick<Seen, 'facts'>,
  steps: readonly Step[],
): void => {
  const headSha = facts.changeRequest?.head ?? null;
  const bindings = { forge: of.forge, project: of.projectId, changeRequest: of.number, headSha };
  for (const { effect, reason } of steps) {
    metrics.decisions.inc({ effect });
    log.info({ ...bindings, effect, reason }, 'decided');
  }
};

export const recordsOf = ({ facts, events }: Seen, steps: readonly Step[], atMs: number): readonly DecisionRecord[] => {
  const head = facts.changeRequest?.head ?? null;
  const kinds = events.map((event) => ('kind' in event ? `${event.source}:${event.kind}` : event.source));
  return steps.map(({ effect, reason }) => ({ atMs, effect, reason, head, events: kinds }));
};
