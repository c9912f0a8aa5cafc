/** Whether a provider accepts the key and knows a model. `status`: of the answer; undefined when there was none. */
export type ModelProbe =
  | { readonly kind: 'known' | 'unknown_model' }
  | { readonly kind: 'key_refused'; readonly status: number }
  | { readonly kind: 'no_answer'; readonly status: number | undefined };
