/**
 * Decides which effort (how much to think) to request from a model. A request names an effort only if the model accepts
 * one, because other models refuse such a request.
 */
import type { Effort } from './capabilities.ts';

/** Models of the default provider. Source: the provider's page about its models, at the date of `PRICES`. */
const WITH_EFFORT: ReadonlySet<string> = new Set([
  'claude-fable-5-2',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-sonnet-5',
]);

/**
 * The effort to request; if null, the request names none. `own`: the setting of the role. `declared`: the setting of
 * the model's provider, which means that its models accept an effort; undefined for the default provider.
 */
export const effortFor = (
  model: string,
  { own, declared }: { readonly own: Effort | null; readonly declared: Effort | null | undefined },
): Effort | null => {
  if (declared === undefined) return WITH_EFFORT.has(model) ? own : null;
  return declared === null ? null : (own ?? declared);
};
