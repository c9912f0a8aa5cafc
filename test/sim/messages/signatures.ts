/**
 * Signatures of thinking blocks: they cover the text and, for newer models, the model and the conversation. The platform
 * does not document how it identifies a conversation; here it is the user's first text block, which compaction keeps and
 * which differs between reviews.
 */
import { createHash, createHmac } from 'node:crypto';
import type { ModelFacts } from './models.ts';
import type { PromptRequest } from './request.ts';
import { openingText } from './turns.ts';

/** Not a secret: only tests use these signatures. */
const KEY = 'messages-sim';
const FREE = '*';

const conversationOf = (request: Pick<PromptRequest, 'messages'>): string =>
  createHash('sha256').update(openingText(request)).digest('hex').slice(0, 16);

type Bound = { readonly model: string; readonly conversation: string };

const bindingOf = (model: ModelFacts, request: Pick<PromptRequest, 'messages'>): Bound =>
  model.bindsThinking
    ? { model: model.id, conversation: conversationOf(request) }
    : { model: FREE, conversation: FREE };

const mac = (bound: Bound, text: string, salt: string): string =>
  createHmac('sha256', KEY)
    .update(JSON.stringify([bound.model, bound.conversation, text, salt]))
    .digest('base64');

/** `shown`: the text that the client sees. The salt makes signatures of equal texts different. */
export const signThinking = (
  shown: string,
  { model, request, salt }: { model: ModelFacts; request: Pick<PromptRequest, 'messages'>; salt: string },
): string => `${Buffer.from(salt).toString('base64')}.${mac(bindingOf(model, request), shown, salt)}`;

/** Whether the block is valid for this model in this conversation. */
export const isSigned = (
  shown: string,
  signature: string,
  { model, request }: { model: ModelFacts; request: Pick<PromptRequest, 'messages'> },
): boolean => {
  const [salt = '', found] = signature.split('.');
  return found === mac(bindingOf(model, request), shown, Buffer.from(salt, 'base64').toString('utf8'));
};

/** Redacted thinking has no text; its data is the signature. */
export const REDACTED_TEXT = '(redacted)';
