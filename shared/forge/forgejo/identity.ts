import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import type { Account } from '../port-facts.ts';
import { toAccount } from './context.ts';
import { ApiUser } from './schema.ts';

/**
 * The account of the token. There are no bot accounts on these forges: it is a user like any other.
 * GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent
 */
export const fetchSelf = async (http: ForgeHttp, signal: AbortSignal): Promise<Account> => {
  const { value } = await http.read({ path: apiPath`/api/v1/user`, schema: ApiUser }, signal);
  return toAccount(value);
};

/** Asks once: a token belongs to one account for as long as it lives. */
export const rememberSelf = (http: ForgeHttp): ((signal: AbortSignal) => Promise<Account>) => {
  let known: Account | null = null;
  return async (signal) => {
    known ??= await fetchSelf(http, signal);
    return known;
  };
};
