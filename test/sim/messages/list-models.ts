/** `GET /v1/models` and `GET /v1/models/:id`. */
import type { Call } from './call.ts';
import { invalid } from './api-problem.ts';
import type { ModelFacts, ThinkingKind } from './models.ts';

const support = (supported: boolean): object => ({ supported });

const KINDS: readonly ThinkingKind[] = ['adaptive', 'between_tools', 'disabled', 'enabled'];

const capabilities = (model: ModelFacts): object => ({
  batch: support(true),
  effort: { supported: model.hasEffort },
  structured_outputs: support(true),
  thinking: {
    supported: true,
    types: Object.fromEntries(KINDS.map((kind) => [kind, support(model.thinking.includes(kind))])),
  },
});

const show = (model: ModelFacts): object => ({
  type: 'model',
  id: model.id,
  display_name: model.displayName,
  created_at: model.releasedAt,
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
  line: model.id.split('-')[1],
  max_input_tokens: model.contextTokens,
  max_tokens: model.maxOutputTokens,
  capabilities: capabilities(model),
});

/** Newest first; paged with `limit` and `after_id`. */
export const listModels = (call: Call, query: URLSearchParams): void => {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    return call.refuse(invalid('limit: Input should be between 1 and 1000'));
  }
  const all = call.world.models.toSorted((left, right) => right.releasedAt.localeCompare(left.releasedAt));
  const after = query.get('after_id');
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const page = all.slice(start, start + limit);
  call.sendJson({
    data: page.map(show),
    has_more: start + limit < all.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  });
};

export const showModel = (call: Call, id: string): void => {
  const model = call.world.models.find((one) => one.id === id);
  if (model === undefined) return call.refuse({ status: 404, type: 'not_found_error', message: `model: ${id}` });
  call.sendJson(show(model));
};
