/**
 * Text without halves of surrogate pairs. A model can write one as an escape in the input of a call, and a text that was
 * cut can end with one. UTF-8 cannot represent it, and providers refuse the whole request that contains it.
 */
import type { Model, ModelRequest } from './model.ts';

const HALF = /\p{Cs}/gu;

const mapTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(HALF, '\ufffd');
  if (Array.isArray(value)) return value.map(mapTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mapTexts(key), mapTexts(inner)]));
};

export const wellFormed = (request: ModelRequest): ModelRequest => {
  const { system, tools, messages } = request;
  // Only the contents of strings change, so the type stays the same.
  return {
    ...request,
    ...(mapTexts({ system, tools, messages }) as Pick<ModelRequest, 'system' | 'tools' | 'messages'>),
  };
};

export const withWellFormedRequests = (model: Model): Model => ({
  respond: async (request, signal) => model.respond(wellFormed(request), signal),
});
