/**
 * Signatures of thinking blocks: bound to the text and, on newer models, to the model and the conversation. The
 * platform does not say what makes a conversation the same; here it is the first text block of the user, which
 * survives compaction and tells any two reviews apart.
 */
import { createHash, createHmac } from 'node:crypto';
import type { ModelFacts } from './models.ts';
import type { PromptRequest } from './request.ts';
import { openingText } from './turns.ts';

/** Not a secret: nobody outside a test believes these signatures. */
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

/** `shown` is what the client gets to see; the salt keeps the signatures of equal texts apart. */
export const signThinking = (
  shown: string,
  { model, request, salt }: { model: ModelFacts; request: Pick<PromptRequest, 'messages'>; salt: string },
): string => `${Buffer.from(salt).toString('base64')}.${mac(bindingOf(model, request), shown, salt)}`;

/** Whether the block may be sent back to this model in this conversation. */
export const isSigned = (
  shown: string,
  signature: string,
  { model, request }: { model: ModelFacts; request: Pick<PromptRequest, 'messages'> },
): boolean => {
  const [salt = '', found] = signature.split('.');
  return found === mac(bindingOf(model, request), shown, Buffer.from(salt, 'base64').toString('utf8'));
};

/** Redacted thinking has no text of its own; its data is the signature. */
export const REDACTED_TEXT = '(redacted)';
