import type { AgentEvent } from '../agent/run-turns.ts';
import type { Payer } from './connect-model.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

export type AgentWatching = {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'modelCalls' | 'modelRetries'>;
};

/** Reports numbers and names about a conversation to log and metrics, but never its text. */
export const observeAgent =
  ({ log, metrics }: AgentWatching) =>
  (event: AgentEvent, { runId, changeRequest }: Payer): void => {
    const { forge, projectId: project, number } = changeRequest;
    const of = { forge, project, changeRequest: number, runId };
    switch (event.kind) {
      case 'replied': {
        const { turn, stopReason, usage } = event;
        metrics.modelCalls.inc({ stop: stopReason });
        return log.info({ ...of, turn, stopReason, usage }, 'the model replied');
      }
      case 'retrying':
        metrics.modelRetries.inc({ code: event.code });
        return log.warn({ ...of, code: event.code, delayMs: event.delayMs }, 'retrying a model call');
      case 'fell_back': {
        const { from, to, code } = event;
        return log.warn({ ...of, from, to, code }, 'another model took over');
      }
      case 'tool_broke':
        return log.warn({ ...of, tool: event.tool, err: event.error }, 'a tool failed');
      default:
        return event satisfies never;
    }
  };
