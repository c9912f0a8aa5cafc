import { hasForgeCode } from '../errors.ts';
import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import type { Account } from '../port-facts.ts';
import type { FindsNames } from '../port-owners.ts';
import { type ForgejoContext, toAccount } from './api/context.ts';
import { ApiUser } from './api/schema.ts';

/** GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent */
export const fetchSelf = async (http: ForgeHttp, signal: AbortSignal): Promise<Account> => {
  const { value } = await http.read({ path: apiPath`/api/v1/user`, schema: ApiUser }, signal);
  return toAccount(value);
};

/** Caches the account for the life of the process, because a token always belongs to the same account. */
export const rememberSelf = (http: ForgeHttp): ((signal: AbortSignal) => Promise<Account>) => {
  let known: Account | null = null;
  return async (signal) => {
    known ??= await fetchSelf(http, signal);
    return known;
  };
};

/**
 * A team is written `organisation/team`. Only its members can look it up, so the name is not checked. The forge also
 * returns organisations as users, but mentioning an organisation notifies nobody.
 * GET /users/{username}: https://codeberg.org/api/swagger#/user/userGet
 */
export const findsNames = ({ http }: ForgejoContext): FindsNames => ({
  findName: async (name, signal) => {
    if (name.includes('/')) return { kind: 'group' };
    try {
      const { value } = await http.read({ path: apiPath`/api/v1/users/${name}`, schema: ApiUser }, signal);
      // A renamed account is returned under its new name.
      return { kind: 'person', account: toAccount(value) };
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
      throw error;
    }
  },
});
