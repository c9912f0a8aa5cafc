import { runTurns, type TurnsResult } from '../../../shared/agent/run-turns.ts';
import { never, type RunPatch, testRun } from './agent-run.ts';
import { scriptedModel, type Step } from './scripted-model.ts';

/** Runs a conversation with a model that answers these steps. */
export const play = async (steps: readonly Step[], patch: RunPatch = {}) => {
  const model = scriptedModel(steps);
  const test = testRun(model, patch);
  const result = await runTurns(test.run, never);
  return { model, result, ...test };
};

export const outcome = (result: TurnsResult) => (result.kind === 'ended' ? result.outcome : result);
