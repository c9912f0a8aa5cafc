import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import type { Account } from '../port-facts.ts';
import { toAccount } from './context.ts';
import { ApiUser } from './schema.ts';

/** GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent */
export const fetchSelf = async (http: ForgeHttp, signal: AbortSignal): Promise<Account> => {
  const { value } = await http.read({ path: apiPath`/api/v1/user`, schema: ApiUser }, signal);
  return toAccount(value);
};

/** Cached for the life of the process, because a token always belongs to the same account. */
export const rememberSelf = (http: ForgeHttp): ((signal: AbortSignal) => Promise<Account>) => {
  let known: Account | null = null;
  return async (signal) => {
    known ??= await fetchSelf(http, signal);
    return known;
  };
};
