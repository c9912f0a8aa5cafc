/** Asks the models of a chain in order: when a model fails permanently or keeps failing, the next one takes over. */
import type { AssistantBlock, Message, Model, ModelReply, ModelRequest } from './model.ts';
import { ModelError, ModelTooLongError } from './model-errors.ts';

export type AnsweredBy = { readonly reply: ModelReply; readonly model: string };

export type FallbackModel = {
  /**
   * Contract: asks `from` first, and then only the models after it. Throws the error of the last model that was asked.
   */
  readonly respond: (request: ModelRequest, from: string, signal: AbortSignal) => Promise<AnsweredBy>;
};

export type FallbackOptions = {
  /** In order, without repetitions. */
  readonly chain: readonly string[];
  /** Contract: must not throw. */
  readonly onFallback?: (from: string, to: string, error: ModelError) => void;
};

/** Thoughts are valid only for the model that produced them. A block without a model name is from the first model. */
const isOwn = (block: AssistantBlock, model: string, first: string): boolean =>
  block.kind !== 'opaque' || (block.model ?? first) === model;

const withoutForeignThoughts = (messages: readonly Message[], model: string, first: string): readonly Message[] =>
  messages.flatMap((message): readonly Message[] => {
    if (message.role === 'user') return [message];
    const blocks = message.blocks.filter((block) => isOwn(block, model, first));
    return blocks.length === 0 ? [] : [{ role: 'assistant', blocks }];
  });

/**
 * True for most errors, because another model may have another key and another server. If the prompt is too long, the
 * caller first shortens it.
 */
const mayFallBack = (error: unknown): error is ModelError =>
  error instanceof ModelError && !(error instanceof ModelTooLongError);

const signed = (reply: ModelReply, model: string, first: string): ModelReply =>
  model === first
    ? reply
    : { ...reply, blocks: reply.blocks.map((block) => (block.kind === 'opaque' ? { ...block, model } : block)) };

/** Contract: `model` supports every name of the chain. */
export const createFallbackModel = (model: Model, { chain, onFallback }: FallbackOptions): FallbackModel => ({
  respond: async (request, from, signal) => {
    const [first = from] = chain;
    for (let at = Math.max(0, chain.indexOf(from)); ; at += 1) {
      const asked = chain[at] ?? from;
      const next = chain[at + 1];
      const messages = withoutForeignThoughts(request.messages, asked, first);
      try {
        const reply = await model.respond({ ...request, model: asked, messages }, signal);
        return { reply: signed(reply, asked, first), model: asked };
      } catch (error) {
        signal.throwIfAborted();
        if (next === undefined || !mayFallBack(error)) throw error;
        onFallback?.(asked, next, error);
      }
    }
  },
});
