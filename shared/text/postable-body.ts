/** A body that may be posted. */
/** Text that went through `text/sanitize`: the only kind that a forge adapter accepts for writing. */
export type PostableBody = string & { readonly __brand: 'PostableBody' };
