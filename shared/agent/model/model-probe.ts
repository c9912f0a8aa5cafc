/** Whether a provider accepts the key and knows the model. `status` is undefined when no response arrived. */
export type ModelProbe =
  | { readonly kind: 'known' | 'unknown_model' }
  | { readonly kind: 'key_refused'; readonly status: number }
  | { readonly kind: 'no_answer'; readonly status: number | undefined };
