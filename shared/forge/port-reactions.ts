/** Reactions of people to comments: a part of `port.ts`, under the same contract. */
import type { ChangeRequest } from '../vocabulary/ids.ts';

export type Thumb = 'up' | 'down';

/** `accountId` is null when the account was deleted. */
export type GivenThumb = { readonly accountId: number | null; readonly thumb: Thumb };

export interface ReadsThumbs {
  /**
   * The thumbs-up and thumbs-down reactions of all accounts to one comment; other reactions are left out. Empty when
   * the comment does not exist. Reads one page: of a longer list only the first 100 reactions count.
   */
  fetchThumbs(of: ChangeRequest, commentId: string, signal: AbortSignal): Promise<readonly GivenThumb[]>;
}
