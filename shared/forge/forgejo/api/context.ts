import type { ForgeHttp } from '../../http.ts';
import type { PageWords } from '../../list-page.ts';
import type { Account, ForgeComment } from '../../port-facts.ts';
import type { ForgeTraits } from './traits.ts';
import type { ProjectPaths } from './project-paths.ts';
import type { ApiReview, ApiUser } from './schema.ts';

export type ForgejoContext = {
  readonly http: ForgeHttp;
  readonly traits: ForgeTraits;
  /** The configured address, without a trailing slash. */
  readonly base: URL;
  readonly projects: ProjectPaths;
  readonly self: (signal: AbortSignal) => Promise<Account>;
  /** Whether the bot may have edited a review body after posting it. See `withEdits` in `reviews.ts`. */
  readonly isEdited: (body: string) => boolean;
  /** The forge's response to an edited review body, by the id of the review's comment. The next read removes the entry. */
  readonly answered: Map<string, Pick<ForgeComment, 'body' | 'updatedAtMs'>>;
  /** The reviews, published or not, from which a list of comments was read. An entry is kept as long as its list. */
  readonly reviewsBehind: WeakMap<readonly ForgeComment[], readonly ApiReview[]>;
};

const GHOST: Account = { id: -1, login: 'Ghost' };

export const toAccount = (user: ApiUser): Account => ({ id: user.id, login: user.login });

export const toAccountOrGhost = (user: ApiUser | null | undefined): Account =>
  user === null || user === undefined ? GHOST : toAccount(user);

export const pageWords = ({ maxPageSize }: ForgeTraits): PageWords => ({
  sizeParameter: 'limit',
  totalHeader: 'x-total-count',
  size: maxPageSize,
});
