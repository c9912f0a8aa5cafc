import type { Clock } from '../../clock.ts';
import type { ForgeHttp } from '../../http.ts';
import type { PageWords } from '../../list-page.ts';
import type { Account } from '../../port-facts.ts';
import type { UnsetStatus } from '../../port-statuses.ts';
import type { GitlabApi } from './requester.ts';
import type { ApiUser } from './schema.ts';
import type { GitlabTraits } from './traits.ts';

export type GitlabContext = {
  readonly api: GitlabApi;
  /** Used for calls that gitbeaker does not support or would send as form data. */
  readonly http: ForgeHttp;
  readonly traits: GitlabTraits;
  /** The configured address, without a trailing slash. */
  readonly base: URL;
  readonly clock: Clock;
  readonly self: (signal: AbortSignal) => Promise<Account>;
  /** Web address of a project, used only in links. The address is cached: GitLab redirects an old path to the new one. */
  readonly projectUrl: (projectId: number, signal: AbortSignal) => Promise<string>;
  readonly onStatusUnset: (unset: UnsetStatus) => void;
};

export const toAccount = (user: ApiUser): Account => ({ id: user.id, login: user.username });

/** GitLab assigns comments of deleted accounts to the account `ghost`; the name is reserved. */
const GHOST_NAME = 'ghost';
const GHOST: Account = { id: -1, login: GHOST_NAME };

export const toAccountOrNull = (user: ApiUser | null | undefined): Account | null =>
  user === null || user === undefined || user.username === GHOST_NAME ? null : toAccount(user);

export const toAccountOrGhost = (user: ApiUser | null | undefined): Account => toAccountOrNull(user) ?? GHOST;

export const PAGE_WORDS: PageWords = { sizeParameter: 'per_page', totalHeader: 'x-total', size: 100 };
