import type { PostableBody } from './postable-body.ts';

/** Only `sanitize` and `compose-body` may call this: everything else gets its bodies from them. */
// The brand has no run-time part; this is the one place that gives it.
export const asPostable = (text: string): PostableBody => text as PostableBody;
