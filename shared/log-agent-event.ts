import type { AgentEvent } from './agent/run-turns.ts';
import type { Logger } from './logger.ts';

/** What a conversation does, for the log: numbers and names, no text of it. */
export const logAgentEvent =
  (log: Logger) =>
  (event: AgentEvent): void => {
    switch (event.kind) {
      case 'replied': {
        const { turn, stopReason, usage } = event;
        return log.info({ turn, stopReason, usage }, 'the model replied');
      }
      case 'retrying':
        return log.warn({ code: event.code, delayMs: event.delayMs }, 'the model is asked again');
      case 'tool_broke':
        return log.warn({ tool: event.tool, err: event.error }, 'a tool broke');
      default:
        return event satisfies never;
    }
  };
