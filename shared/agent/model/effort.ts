/** Whether a model can be told how much to think. A request names an effort only for a model that takes it: others refuse. */
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
 * The effort to ask for; null asks for none. `own`: what the role wants. `declared`: the setting of the model's provider, which
 * says that its models take an effort; undefined for the default provider.
 */
export const effortFor = (
  model: string,
  { own, declared }: { readonly own: Effort | null; readonly declared: Effort | null | undefined },
): Effort | null => {
  if (declared === undefined) return WITH_EFFORT.has(model) ? own : null;
  return declared === null ? null : (own ?? declared);
};
