import { Users } from '@gitbeaker/rest';
import { hasForgeCode } from '../../errors.ts';
import type { Account } from '../../port-facts.ts';
import type { MarksBots } from '../../port.ts';
import { type GitlabContext, toAccount } from '../api/context.ts';
import type { GitlabApi } from '../api/requester.ts';
import { ApiMarkedUser, ApiUser } from '../api/schema.ts';

/**
 * The account of the token. Tokens of projects and groups have a bot account each, and a new token is a new account.
 * GET /user: https://docs.gitlab.com/api/users/#retrieve-the-current-user
 */
export const fetchSelf = async (api: GitlabApi, signal: AbortSignal): Promise<Account> =>
  toAccount(await api.read(ApiUser, signal, (options) => new Users(options).showCurrentUser()));

/** Asks once: a token belongs to one account for as long as it lives. */
export const rememberSelf = (api: GitlabApi): ((signal: AbortSignal) => Promise<Account>) => {
  let known: Account | null = null;
  return async (signal) => {
    known ??= await fetchSelf(api, signal);
    return known;
  };
};

/** Accounts whose mark is remembered; the oldest goes for one more. */
const REMEMBERED_MARKS = 10_000;

/** Null where the account is not shown, or its mark is not told. */
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
 * Accounts behind the tokens of projects and groups, service accounts and GitLab's own are marked. Lists of members and
 * authors do not carry the mark. It belongs to the kind of the account and never changes, so it is asked for once: GitLab
 * allows 300 of these requests in 10 minutes, and then none for 10 minutes (lib/api/users.rb, lib/api/helpers/rate_limiter.rb).
 * An account that is not shown may still be asked for a permission, which decides then.
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
