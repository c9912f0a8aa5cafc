/**
 * Whether a provider accepts the key and knows the model. `status` is undefined when no response arrived. `not_listed`:
 * the server has no list of models, or its list does not contain this model. Some servers accept models that they do
 * not list.
 */
export type ModelProbe =
  | { readonly kind: 'known' | 'unknown_model' | 'not_listed' }
  | { readonly kind: 'key_refused'; readonly status: number }
  | { readonly kind: 'no_answer'; readonly status: number | undefined };
