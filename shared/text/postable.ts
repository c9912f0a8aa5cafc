import type { PostableBody } from './postable-body.ts';

/** Only `sanitize` and `compose-body` may call this. The brand does not exist at run time and is added only here. */
export const asPostable = (text: string): PostableBody => text as PostableBody;
