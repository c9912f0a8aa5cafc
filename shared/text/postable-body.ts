/** Text that `text/sanitize` has sanitized. Forge adapters write no other text. */
export type PostableBody = string & { readonly __brand: 'PostableBody' };
