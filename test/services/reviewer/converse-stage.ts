/** One talk with everything in memory: what a test is about is patched in. */
import {
  runConversation,
  type ConversationDeps,
  type ConversationResult,
} from '../../../services/reviewer/run/run-conversation.ts';
import type { Asked } from '../../../services/reviewer/run/explorers.ts';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import type { Notes } from '../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { ACCOUNT, never, newWorkspace, protect, reviewerTools, startOf } from '../../shared/agent/agent-run.ts';
import { call, reply } from '../../shared/agent/scripted-model.ts';
import { memoryTranscripts, stillClock } from './agent-stage.ts';

const tools = reviewerTools(newWorkspace());

export const found = (text: string, patch: Partial<Notes> = {}): Notes => ({
  v: 1,
  outcome: 'answered',
  text,
  spent: NOTHING_SPENT,
  ...patch,
});

/** Explorers that are at work the first time anybody asks, and have ended the second time. */
export const fakeExplorers = (notes: readonly (Notes | null)[]) => {
  const asked: (readonly Asked[])[] = [];
  return {
    asked,
    ask: async (questions: readonly Asked[]) => {
      asked.push(questions);
      const begun = asked.filter((one) => one[0]?.id === questions[0]?.id).length > 1;
      return begun ? notes : null;
    },
  };
};

export const explorePair = () =>
  reply([
    call('Agent', { question: 'Who calls it?' }, 'one'),
    call('Agent', { question: 'Who tests it?', files: ['a.ts'] }, 'two'),
    call('Glob', { pattern: '*' }, 'three'),
  ]);

const price = priceOf(PRICES, 'claude-sonnet-5-5');
let calls = 0;

export const talkStage = (patch: Partial<ConversationDeps> & Pick<ConversationDeps, 'model'>) => {
  if (price === null) throw new Error('no price');
  const clock = stillClock();
  const explorers = fakeExplorers([found('Callers: b.ts'), null]);
  const transcripts = memoryTranscripts();
  let begun = 0;
  const talk: ConversationDeps = {
    runId: 'a'.repeat(20),
    meter: {
      ledger: createMemoryLedger(BUDGET_LIMITS),
      account: ACCOUNT,
      role: 'reviewer',
      price,
      newCallId: () => `call-${(calls += 1)}`,
    },
    clock,
    transcripts,
    start: async () => {
      begun += 1;
      return startOf(tools);
    },
    tools: async () => tools,
    protect,
    explorers,
    changedPaths: ['a.ts', 'b.ts'],
    wallMs: 600_000,
    isSuperseded: async () => false,
    observe: () => {},
    checkpoint: () => {},
    ...patch,
  };
  return { talk, clock, explorers, transcripts, begun: () => begun };
};

/** Executions until the end, as the queue would give them. */
export const untilEnded = async (talk: ConversationDeps): Promise<ConversationResult & { readonly kind: 'ended' }> => {
  for (let execution = 0; execution < 20; execution += 1) {
    const talked = await runConversation(talk, never);
    if (talked.kind === 'ended') return talked;
    if (talked.kind === 'superseded') throw new Error('superseded');
  }
  throw new Error('no end');
};
