import type { Logger } from 'pino';
import type { Account } from '../../shared/forge/port-facts.ts';
import type { Identities } from '../../shared/store/identities.ts';

const REPEAT_MS = 5_000;

export type IdentityPublishing = {
  readonly identities: Identities;
  readonly log: Logger;
  /** Ends the repeating. */
  readonly signal: AbortSignal;
};

/** Says who writes on a forge, again and again: guard waits for it, and a wiped Redis forgets it. */
export const publishIdentity = async (
  forge: string,
  account: Account,
  { identities, log, signal }: IdentityPublishing,
): Promise<void> => {
  await identities.publish(forge, account);
  const timer = setInterval(() => {
    identities
      .publish(forge, account)
      .catch((err: unknown) => log.warn({ err }, 'the posting account could not be published'));
  }, REPEAT_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
};
