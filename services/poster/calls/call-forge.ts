import type { Logger } from 'pino';
import { AppError } from '../../../shared/errors.ts';
import type { FindsNames, ReadsFiles } from '../../../shared/forge/port-owners.ts';
import type { Account, ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { MarksBots } from '../../../shared/forge/port.ts';
import type { OwnersSyntax } from '../../../shared/owners/owners-syntax.ts';

/** What finding the person to call needs of a forge. */
export type CallForge = {
  readonly read: ReadsFiles & FindsNames;
  readonly syntax: OwnersSyntax;
  /** Accounts that are no people: the bot itself, also under earlier accounts, and those that the operator names. */
  readonly botIds: ReadonlySet<number>;
  readonly botLogin: string;
  /** Null where the forge tells no bot from a person. */
  readonly botMarks: MarksBots | null;
};

/** Who may be called, as the operator has set it. */
export type CallSettings = { readonly operators: readonly string[]; readonly mentionGroups: boolean };

export type Calling = {
  readonly forge: CallForge;
  readonly settings: CallSettings;
  readonly facts: ChangeRequestFacts;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** One that the forge does not tell about right now counts as a person: a call too many is better than none. */
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
