import type { Logger } from 'pino';
import type { Account } from '../../shared/forge/port-facts.ts';
import type { Identities } from '../../shared/store/identities.ts';

const REPEAT_MS = 5_000;

export type IdentityPublishing = {
  readonly identities: Identities;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Publishes the posting account every 5 s, because guard waits for it and wiping Redis deletes it. */
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
