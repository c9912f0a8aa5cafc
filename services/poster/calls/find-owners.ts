/** Looks up the names in CODEOWNERS as accounts on the forge, up to a limit. */
import { AppError } from '../../../shared/errors.ts';
import type { Account } from '../../../shared/forge/port-facts.ts';
import { MAX_MENTIONS } from '../../../shared/owners/choose-mentions.ts';
import { type CodeOwners, joinOwners } from '../../../shared/owners/code-owners.ts';
import { withTimeLimit } from '../../../shared/time-limit.ts';
import { type Calling, isBot } from './call-forge.ts';
import { readOwners } from './read-owners.ts';

export type FoundOwners = { readonly people: readonly Account[]; readonly groups: readonly string[] };

const NOBODY: FoundOwners = { people: [], groups: [] };

/** Maximum number of names to look up on the forge per call. */
const MAX_LOOK_UPS = 10;

/** Time limit for finding owners; after that, the next person in the chain is mentioned. */
const LIMIT_MS = 20_000;

export type FindOwners = (paths: readonly string[]) => Promise<FoundOwners>;

/** Reads the file once, for the first call that needs it. Contract: if the forge fails, logs that and finds no owners. */
export const createFindOwners = (calling: Calling): FindOwners => {
  let file: Promise<CodeOwners | null> | null = null;
  return async (paths) => {
    if (paths.length === 0) return NOBODY;
    try {
      return await withTimeLimit({ ms: LIMIT_MS, signal: calling.signal }, async (signal) => {
        const limited = { ...calling, signal };
        file ??= readOwners(limited);
        const owners = await file;
        return owners === null ? NOBODY : await findAccounts(limited, joinOwners(paths.map(owners.ownersOf)));
      });
    } catch (error) {
      calling.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      file = null;
      calling.log.warn({ err: error }, 'could not read the code owners; mentioning the next candidates');
      return NOBODY;
    }
  };
};

type Names = { readonly people: readonly string[]; readonly groups: readonly string[] };

const findAccounts = async (calling: Calling, names: Names): Promise<FoundOwners> => {
  const { forge, facts, settings, signal } = calling;
  const people: Account[] = [];
  const groups: string[] = [];
  for (const name of names.people.slice(0, MAX_LOOK_UPS)) {
    if (people.length >= MAX_MENTIONS) break;
    const found = await forge.read.findName(name, signal);
    if (found?.kind === 'group') groups.push(name);
    if (found?.kind !== 'person' || found.account.id === facts.author.id) continue;
    if (!(await isBot(calling, found.account))) people.push(found.account);
  }
  if (people.length > 0 || !settings.mentionGroups) return { people, groups: [] };
  for (const name of names.groups.slice(0, MAX_LOOK_UPS)) {
    if (groups.length >= MAX_MENTIONS) break;
    if ((await forge.read.findName(name, signal))?.kind === 'group') groups.push(name);
  }
  return { people, groups };
};
