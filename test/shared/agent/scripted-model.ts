/** A model that plays a script and keeps what it was asked. Anything that is not in the script is a surprise. */
import type { AssistantBlock, Model, ModelReply, ModelRequest, ModelUsage } from '../../../shared/agent/model/model.ts';

export const usage = (patch: Partial<ModelUsage> = {}): ModelUsage => ({
  uncachedInput: 100,
  cacheWrite: 0,
  cacheRead: 0,
  output: 20,
  cacheWriteLong: 0,
  ...patch,
});

export const reply = (blocks: readonly AssistantBlock[], patch: Partial<ModelReply> = {}): ModelReply => ({
  stopReason: blocks.some(({ kind }) => kind === 'tool_call') ? 'tool_use' : 'end_turn',
  refusalCategory: null,
  blocks: [...blocks],
  usage: usage(),
  ...patch,
});

let calls = 0;

export const call = (name: string, input: unknown, id = `call-${(calls += 1)}`): AssistantBlock => ({
  kind: 'tool_call',
  id,
  name,
  input,
});

export const say = (text: string): AssistantBlock => ({ kind: 'text', text });

export const REVIEW = { summary: 'Looks at both files.', findings: [], not_reviewed: [] };

export const submit = (review: unknown = REVIEW): ModelReply => reply([call('submit_review', review)]);

export type Step =
  | ModelReply
  | Error
  | ((request: ModelRequest, signal: AbortSignal) => ModelReply | Promise<ModelReply>);

export type ScriptedModel = Model & { readonly requests: readonly ModelRequest[]; readonly left: () => number };

export const scriptedModel = (steps: readonly Step[]): ScriptedModel => {
  const requests: ModelRequest[] = [];
  return {
    requests,
    left: () => steps.length - requests.length,
    respond: async (request, signal) => {
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) throw new Error('the script has no further step');
      if (step instanceof Error) throw step;
      return typeof step === 'function' ? step(request, signal) : step;
    },
  };
};
