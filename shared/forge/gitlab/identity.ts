import { Users } from '@gitbeaker/rest';
import { hasForgeCode } from '../errors.ts';
import type { Account, MarksBots } from '../port.ts';
import { type GitlabContext, toAccount } from './context.ts';
import type { GitlabApi } from './requester.ts';
import { ApiMarkedUser, ApiUser } from './schema.ts';

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

/**
 * Accounts behind the tokens of projects and groups, service accounts and GitLab's own are marked. Lists of members and
 * authors do not carry the mark.
 * GET /users/:id: https://docs.gitlab.com/api/users/#retrieve-a-user
 */
export const marksBots = ({ api }: Pick<GitlabContext, 'api'>): MarksBots => ({
  isMarkedBot: async (accountId, signal) => {
    try {
      const user = await api.read(ApiMarkedUser, signal, (options) => new Users(options).show(accountId));
      return user.id === accountId && user.bot === true;
    } catch (error) {
      // Who is not shown may still be asked for a permission, which decides then.
      if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return false;
      throw error;
    }
  },
});
