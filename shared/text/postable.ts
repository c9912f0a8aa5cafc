import type { PostableBody } from './postable-body.ts';

/** Only `sanitize` and `compose-body` may call this. The brand has no run-time part and is added here only. */
export const asPostable = (text: string): PostableBody => text as PostableBody;
