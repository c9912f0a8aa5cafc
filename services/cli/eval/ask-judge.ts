/** Asks a model whether a finding is the defect of a label. Answers are stored, so the same question is never paid for twice. */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Model, ModelReply, ModelRequest } from '../../../shared/agent/model/model.ts';
import { createMeteredModel } from '../../../shared/agent/model/metered-model.ts';
import { createRetryingModel, DEFAULT_MODEL_RETRY } from '../../../shared/agent/model/retrying-model.ts';
import type { EvalGolden } from '../../../shared/eval/case.ts';
import { JUDGE_SYSTEM, judgeQuestion, questionKey, SameAnswer } from '../../../shared/eval/model-question.ts';
import type { EvalFinding } from '../../../shared/eval/result.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';
import { withTimeLimit } from '../../../shared/time-limit.ts';
import { LOCAL_PAYER } from '../review/local-runners.ts';
import type { LocalModel } from '../review/review-model.ts';
import { UsageError } from '../terminal/usage-error.ts';

const StoredAnswer = SameAnswer.extend({ key: z.string() });

/** Contract: `ask` resolves with an answer, and stores new ones. */
export type Judge = {
  readonly ask: (golden: EvalGolden, finding: EvalFinding, signal: AbortSignal) => Promise<boolean>;
  readonly asked: () => number;
  readonly known: () => number;
};

export type JudgeSettings = {
  /** Part of the key of each answer. */
  readonly model: string;
  /** JSON Lines. Created if missing. */
  readonly answersFile: string;
  /** Called for the first question without a stored answer. @throws UsageError without a key */
  readonly connect: () => LocalModel;
};

export const createJudge = async ({ model, answersFile, connect }: JudgeSettings): Promise<Judge> => {
  const answers = await loadAnswers(answersFile);
  let connected: Model | null = null;
  let asked = 0;
  let known = 0;
  return {
    asked: () => asked,
    known: () => known,
    ask: async (golden, finding, signal) => {
      const key = questionKey(model, golden, finding);
      const stored = answers.get(key);
      if (stored !== undefined) {
        known += 1;
        return stored;
      }
      connected ??= callable(connect());
      const answer = await askOnce(connected, requestOf(model, golden, finding), signal);
      asked += 1;
      answers.set(key, answer.same);
      await mkdir(path.dirname(answersFile), { recursive: true });
      await appendFile(answersFile, `${JSON.stringify({ key, ...answer })}\n`);
      return answer.same;
    },
  };
};

/** An interrupted process may have left half a line. */
const loadAnswers = async (file: string): Promise<Map<string, boolean>> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const answers = new Map<string, boolean>();
  for (const line of text.split('\n')) {
    const parsed = StoredAnswer.safeParse(jsonOrNull(line));
    if (parsed.success) answers.set(parsed.data.key, parsed.data.same);
  }
  return answers;
};

const CALL_MS = 5 * 60_000;

const callable = ({ connected, agent }: LocalModel): Model => {
  const metered = createMeteredModel(
    connected.model,
    connected.meterOf(agent.reviewer.model, { ...LOCAL_PAYER, role: 'judge' }),
  );
  return createRetryingModel(metered, { policy: DEFAULT_MODEL_RETRY, clock: connected.clock, leftMs: () => CALL_MS });
};

const ANSWER = {
  name: 'Answer',
  description: 'Says whether both descriptions are about the same defect.',
  inputSchema: {
    type: 'object',
    properties: { same: { type: 'boolean' }, reason: { type: 'string', description: 'One sentence.' } },
    required: ['same', 'reason'],
    additionalProperties: false,
  },
};

const MAX_OUTPUT_TOKENS = 1_024;

const requestOf = (model: string, golden: EvalGolden, finding: EvalFinding): ModelRequest => ({
  model,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  system: [{ kind: 'text', text: JUDGE_SYSTEM, cache: true }],
  tools: [ANSWER],
  messages: [{ role: 'user', blocks: [{ kind: 'text', text: judgeQuestion(golden, finding) }] }],
  mustCall: ANSWER.name,
});

const ATTEMPTS = 2;

const askOnce = async (model: Model, request: ModelRequest, signal: AbortSignal): Promise<SameAnswer> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const reply = await withTimeLimit({ ms: CALL_MS, signal }, async (limited) => model.respond(request, limited));
    const answer = answerIn(reply);
    if (answer !== null) return answer;
  }
  throw new UsageError(`the model ${request.model} answered ${ATTEMPTS} times without calling the tool Answer`);
};

const answerIn = ({ blocks }: ModelReply): SameAnswer | null => {
  const call = blocks.find((block) => block.kind === 'tool_call');
  const parsed = SameAnswer.safeParse(call?.kind === 'tool_call' ? call.input : null);
  return parsed.success ? parsed.data : null;
};
