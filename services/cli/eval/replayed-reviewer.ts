/** A reviewer that gets its answers from the stored conversations of an earlier run, without key and network. */
import { randomBytes } from 'node:crypto';
import type { Model } from '../../../shared/agent/model/model.ts';
import { providersInUse } from '../../../shared/config/model-roles.ts';
import type { LocalRunnerChoice } from '../review/choose-runner.ts';
import type { LocalReviewer } from '../review/local-runners.ts';
import { agentOf, connectLocalModel } from '../review/review-model.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { REPLAYED_BOUNDARY } from './recorded-answers.ts';
import type { EvalRun } from '../../../shared/eval/result.ts';

/** @throws UsageError if the run has no conversations, or was made by another runner than the one that is asked for */
export const refuseUnlessReplayable = (folder: string, run: EvalRun, { runner }: LocalRunnerChoice): void => {
  if (run.runner !== 'agent')
    throw new UsageError(`${folder} cannot be replayed: the runner ${run.runner} stores no conversations`);
  if (runner !== undefined && runner !== 'auto' && runner !== 'agent')
    throw new UsageError(`--replay: not allowed with --runner ${runner}`);
};

type Replaying = {
  /** With the model of the earlier run, unless the caller names another one. */
  readonly wish: LocalRunnerChoice;
  /** From `createRecordedAnswers`; the same for all reviews of a case. */
  readonly answers: Model;
};

export const replayedReviewer = ({ wish, answers }: Replaying): LocalReviewer => {
  const agent = agentOf(wish);
  // Nobody checks this key. It must not be a word of the code, because keys are removed from prompts.
  const key = randomBytes(16).toString('hex');
  const providers = new Map(providersInUse(agent).map(({ name }) => [name, key]));
  const keys = { kind: 'found', key, providers } as const;
  const model = connectLocalModel(wish, { agent, keys, env: {}, observe: () => {} });
  const connected = { ...model.connected, model: answers };
  return { kind: 'agent', model: { ...model, connected, boundaryOf: () => REPLAYED_BOUNDARY } };
};
