import { Users } from '@gitbeaker/rest';
import { hasForgeCode } from '../../errors.ts';
import type { Account } from '../../port-facts.ts';
import type { MarksBots } from '../../port.ts';
import { type GitlabContext, toAccount } from '../api/context.ts';
import type { GitlabApi } from '../api/requester.ts';
import { ApiMarkedUser, ApiUser } from '../api/schema.ts';

/** GET /user: https://docs.gitlab.com/api/users/#retrieve-the-current-user */
export const fetchSelf = async (api: GitlabApi, signal: AbortSignal): Promise<Account> =>
  toAccount(await api.read(ApiUser, signal, (options) => new Users(options).showCurrentUser()));

/** Caches the account for the life of the process, because a token always belongs to the same account. */
export const rememberSelf = (api: GitlabApi): ((signal: AbortSignal) => Promise<Account>) => {
  let known: Account | null = null;
  return async (signal) => {
    known ??= await fetchSelf(api, signal);
    return known;
  };
};

const REMEMBERED_MARKS = 10_000;

/** Returns null when the account is not visible or `bot` is missing. */
const fetchMark = async (api: GitlabApi, accountId: number, signal: AbortSignal): Promise<boolean | null> => {
  try {
    const user = await api.read(ApiMarkedUser, signal, (options) => new Users(options).show(accountId));
    return user.id === accountId ? (user.bot ?? null) : null;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

/**
 * The result is cached, because the mark never changes and GitLab allows 300 of these requests per 10 minutes (lib/api/users.rb,
 * lib/api/helpers/rate_limiter.rb). An account that is not visible counts as unmarked; its permission then decides.
 * GET /users/:id: https://docs.gitlab.com/api/users/#retrieve-a-user
 */
export const marksBots = ({ api }: Pick<GitlabContext, 'api'>): MarksBots => {
  const known = new Map<number, boolean>();
  const remember = (accountId: number, mark: boolean): void => {
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= REMEMBERED_MARKS) known.delete(oldest);
    known.set(accountId, mark);
  };
  return {
    isMarkedBot: async (accountId, signal) => {
      const mark = known.get(accountId) ?? (await fetchMark(api, accountId, signal));
      if (mark !== null) remember(accountId, mark);
      return mark === true;
    },
  };
};
