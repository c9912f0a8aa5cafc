/** A model whose calls are timed, and whose errors are counted. */
import type { Model } from '../agent/model/model.ts';
import { ModelCallStoppedError, ModelError } from '../agent/model/model-errors.ts';
import type { Agent } from '../config/agent-settings.ts';
import { knownCode } from '../error-codes/explain.ts';
import type { Metrics } from '../metrics.ts';
import { modelLabels } from './counting-ledger.ts';

type Timing = {
  readonly metrics: Pick<Metrics, 'modelSeconds' | 'modelErrors'>;
  readonly agent: Pick<Agent, 'provider'>;
  readonly role: string;
};

/** A call that its caller aborted counts neither as an error nor as a time. */
export const timedModel = (model: Model, { metrics, agent, role }: Timing): Model => ({
  respond: async (request, signal) => {
    const labels = modelLabels(agent, { role, model: request.model });
    const startedAt = performance.now();
    const observe = (): void => metrics.modelSeconds.observe(labels, (performance.now() - startedAt) / 1000);
    try {
      const reply = await model.respond(request, signal);
      observe();
      return reply;
    } catch (error) {
      if (error instanceof ModelError && !(error instanceof ModelCallStoppedError)) {
        observe();
        metrics.modelErrors.inc({ ...labels, code: knownCode(error.code) });
      }
      throw error;
    }
  },
});
