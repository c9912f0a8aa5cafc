import type { AgentEvent } from '../agent/run-turns.ts';
import type { Payer } from './connect-model.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { LastAnswers } from './last-answers.ts';

export type AgentWatching = {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'modelCalls' | 'modelRetries'>;
  readonly answered?: LastAnswers['note'] | undefined;
};

/** Reports numbers and names about a conversation to log and metrics, but never its text. */
export const observeAgent =
  ({ log, metrics, answered = () => {} }: AgentWatching) =>
  (event: AgentEvent, { runId, changeRequest }: Payer): void => {
    const { forge, projectId: project, number } = changeRequest;
    const of = { forge, project, changeRequest: number, runId };
    switch (event.kind) {
      case 'replied': {
        const { turn, stopReason, usage } = event;
        answered('model', 'answered');
        metrics.modelCalls.inc({ stop: stopReason });
        return log.info({ ...of, turn, stopReason, usage }, 'the model replied');
      }
      case 'retrying':
        answered('model', event.code);
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
