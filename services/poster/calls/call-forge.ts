import type { Logger } from 'pino';
import { AppError } from '../../../shared/errors.ts';
import type { FindsNames, ReadsFiles } from '../../../shared/forge/port-owners.ts';
import type { Account, ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { MarksBots } from '../../../shared/forge/port.ts';
import type { OwnersSyntax } from '../../../shared/owners/owners-syntax.ts';

/** What a forge must provide to find the people to mention. */
export type CallForge = {
  readonly read: ReadsFiles & FindsNames;
  readonly syntax: OwnersSyntax;
  /** Accounts that are not people: the bot's current and earlier accounts, and the bots that the operator lists. */
  readonly botIds: ReadonlySet<number>;
  readonly botLogin: string;
  /** Null if the forge does not distinguish bots from people. */
  readonly botMarks: MarksBots | null;
};

/** The operator's settings for who may be mentioned. */
export type CallSettings = { readonly operators: readonly string[]; readonly mentionGroups: boolean };

export type Calling = {
  readonly forge: CallForge;
  readonly settings: CallSettings;
  readonly facts: ChangeRequestFacts;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** If the forge does not answer, the account counts as a person: mentioning a bot is better than mentioning nobody. */
export const isBot = async ({ forge, log, signal }: Calling, { id }: Account): Promise<boolean> => {
  if (forge.botIds.has(id)) return true;
  try {
    return (await forge.botMarks?.isMarkedBot(id, signal)) ?? false;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error }, 'the forge did not say whether an account is a bot; assuming a person');
    return false;
  }
};
