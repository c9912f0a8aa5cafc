/** Who reviews a local range: the rules, or a model with its explorers over one checkout of the head. */
import { conversationOf } from '../../shared/agent/turns.ts';
import { NOTHING_SPENT } from '../../shared/rounds/spent.ts';
import { type CommitSha, RunId, type Spent } from '../../shared/rounds/vocabulary.ts';
import { createCheckout } from '../../shared/workspace/checkout.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import { openTree, type Tree } from '../../shared/workspace/tree.ts';
import { NO_EXPLORERS } from '../reviewer/explorers.ts';
import type { Runner, RunScope } from '../reviewer/runner.ts';
import { createAgentRunner } from '../reviewer/runners/agent.ts';
import { createRulesRunner } from '../reviewer/runners/rules.ts';
import { createLocalExplorers } from './review-explorers.ts';
import type { LocalModel } from './review-model.ts';
import { ROUNDS } from './review-result.ts';

export type LocalReviewer = { readonly kind: 'rules' } | { readonly kind: 'agent'; readonly model: LocalModel };

export const RUN_ID = RunId.parse('0'.repeat(20));
/** Nobody else is behind it. */
export const LOCAL_PAYER = { runId: RUN_ID, changeRequest: { forge: 'local', projectId: 1, number: 1 } } as const;

export type Staff = {
  readonly runner: Runner;
  readonly scope: RunScope;
  /** Removes what the explorers looked into. */
  readonly dispose: () => Promise<void>;
};

type Place = { readonly revisions: Revisions; readonly head: CommitSha; readonly checkoutFolder: string };

const RULES_BUDGET = { maxTurns: 1, maxRuntimeS: 600 } as const;

export const staffOf = (reviewer: LocalReviewer, place: Place): Staff =>
  reviewer.kind === 'rules' ? rulesStaff() : modelStaff(reviewer.model, place);

const rulesStaff = (): Staff => ({
  runner: createRulesRunner(),
  scope: { ...LOCAL_PAYER, ...RULES_BUDGET, explorers: NO_EXPLORERS, isSuperseded: async () => false },
  dispose: async () => {},
});

const modelStaff = (model: LocalModel, { revisions, head, checkoutFolder }: Place): Staff => {
  let checkout: ReturnType<typeof createCheckout> | null = null;
  const tree = async (signal: AbortSignal): Promise<Tree> => {
    checkout ??= createCheckout({ revisions, folder: checkoutFolder }, head, signal);
    return openTree((await checkout).root);
  };
  const { maxTurns, maxRuntimeS } = model.agent.reviewer;
  return {
    runner: createAgentRunner({
      ...model,
      duplicateThreshold: ROUNDS.duplicateThreshold,
      checkoutFolder,
      // Whoever calls it reviews files of their own, and is shown each that is opened.
      cage: null,
      saveNotes: async () => {},
    }),
    scope: {
      ...LOCAL_PAYER,
      maxTurns,
      maxRuntimeS,
      explorers: createLocalExplorers({ model, payer: LOCAL_PAYER, tree }),
      isSuperseded: async () => false,
    },
    dispose: async () => {
      const made = await checkout?.catch(() => null);
      await made?.dispose();
    },
  };
};

/** What the review has cost so far, its explorers included: also of one that gave no draft. */
export const spentBy = async (reviewer: LocalReviewer): Promise<Spent> => {
  const transcript = reviewer.kind === 'rules' ? null : await reviewer.model.transcripts.load(RUN_ID);
  return transcript === null ? NOTHING_SPENT : conversationOf(transcript).spent;
};
