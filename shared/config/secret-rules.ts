import { isLinkLocal } from '../link-local.ts';
import { BaseUrl, isMessagesUrl, MESSAGES_URL_RULE } from './values.ts';

/** Validates a secret. Returns null if it is valid, otherwise a reason that does not quote the secret. */
export type SecretRule = (value: string) => string | null;

const hasControlOrSpace = (value: string): boolean => /[\s\p{Cc}]/u.test(value);

const atLeast =
  (minLength: number): SecretRule =>
  (value) => {
    if (value.trim() !== value) return 'has leading or trailing white space';
    return value.length < minLength ? `is too short; expected at least ${minLength} characters` : null;
  };

export const checkWebhookSecret = atLeast(16);
export const checkMarkerSecret = atLeast(32);

/** A shell removes the quotation marks of a value, but a file for `docker run --env-file` or systemd may keep them. */
const isQuoted = (value: string): boolean => /^(["'])[^]*\1$/.test(value);

/** A token is sent in HTTP headers, where a line break could inject another header. */
export const checkToken: SecretRule = (value) => {
  if (isQuoted(value)) return 'is in quotation marks, which would be sent as part of the token; remove them';
  return hasControlOrSpace(value) || value.length < 8
    ? 'is not a token; expected at least 8 characters without white space'
    : null;
};

/** The operator chooses this token (a forge's token is generated), so it must be too long to be guessed. */
export const checkChosenToken: SecretRule = (value) => checkToken(value) ?? atLeast(32)(value);

/** The format of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. */
export const checkSigningToken: SecretRule = (value) => {
  const match = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/.exec(value);
  const bytes = Buffer.from(match?.groups?.['key'] ?? '', 'base64').length;
  return bytes >= 24 && bytes <= 64 ? null : 'is not a signing token; expected "whsec_" and base64 of 24 to 64 bytes';
};

export const checkRedisUrl: SecretRule = (value) => {
  const expected = 'is not a Redis URL; expected redis://, rediss:// or unix:///path';
  if (!URL.canParse(value)) return expected;
  const { protocol, hostname, pathname } = new URL(value);
  if (protocol === 'unix:') return pathname.length > 1 ? null : expected;
  return (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '' ? null : expected;
};

export const checkMessagesUrl: SecretRule = (value) => {
  if (!BaseUrl.safeParse(value).success) return 'is not an http(s) URL without user name, password, query or fragment';
  return isMessagesUrl(value) ? null : `is not the address alone: ${MESSAGES_URL_RULE}`;
};

/** Checks the address of a `[[notify]]` receiver. Its path or query contains the secret, so both are allowed. */
export const checkNotifyUrl: SecretRule = (value) => {
  if (hasControlOrSpace(value) || value.length > 2_000 || !URL.canParse(value)) return NOT_A_RECEIVER;
  const { protocol, username, password, hash, hostname } = new URL(value);
  if (protocol !== 'https:' && protocol !== 'http:') return NOT_A_RECEIVER;
  if (username !== '' || password !== '' || hash !== '') return NOT_A_RECEIVER;
  return isLinkLocal(hostname) ? 'is a link-local address; Fixpoint sends nothing there' : null;
};

const NOT_A_RECEIVER = 'is not an http(s) URL without user name, password or fragment';

type Signing = { readonly webhookSecrets: readonly string[]; readonly signingToken: string | null };

/** If two forges shared a secret, an event of one could be accepted as an event of the other. */
export function findSharedWebhookSecrets(forges: ReadonlyMap<string, Signing>): readonly string[] {
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, { webhookSecrets, signingToken }] of forges) {
    for (const secret of signingToken === null ? webhookSecrets : [...webhookSecrets, signingToken]) {
      const owner = owners.get(secret) ?? id;
      if (owner !== id)
        problems.push(`forge "${id}": has the same webhook secret as forge "${owner}"; each forge needs its own`);
      owners.set(secret, owner);
    }
  }
  return problems;
}

/** The token identifies the client, so two clients must not share one. */
export function findSharedMessageTokens(tokens: readonly string[]): readonly string[] {
  return tokens.flatMap((token, index) =>
    token !== '' && tokens.indexOf(token) < index
      ? [`messages.client[${index}].token_env: another client has the same token; each client needs its own`]
      : [],
  );
}
