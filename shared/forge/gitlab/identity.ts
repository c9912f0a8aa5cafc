import { Users } from '@gitbeaker/rest';
import type { Account } from '../port.ts';
import { toAccount } from './context.ts';
import type { GitlabApi } from './requester.ts';
import { ApiUser } from './schema.ts';

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
