/** Returns all loaded secrets, including the password in the Redis URL, for the logger to redact. */
import type { ReceiverAccess, Secrets } from '../secrets.ts';

function passwordsOf(redisUrl: string | null): readonly string[] {
  if (redisUrl === null || !URL.canParse(redisUrl)) return [];
  const { password } = new URL(redisUrl);
  // The Redis driver sends the decoded password, and an error may quote it.
  return [password, decodeLeniently(password)];
}

/** Errors of HTTP clients may quote only the path. A short path is left out, because ordinary text would match it. */
function partsOf({ url, secret }: ReceiverAccess): readonly (string | null)[] {
  const { href, pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  return [url, href, ...(path.length >= MIN_PATH_LENGTH ? [path] : []), secret];
}

const MIN_PATH_LENGTH = 12;

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function secretValues(secrets: Secrets): readonly string[] {
  const forges = [...secrets.forges.values()].flatMap((forge) => [
    ...forge.webhookSecrets,
    forge.signingToken,
    forge.readToken,
    forge.postToken,
    forge.gitToken,
    forge.pushToken,
  ]);
  const all = [
    secrets.redisUrl,
    secrets.sentinelPassword,
    ...passwordsOf(secrets.redisUrl),
    secrets.marker?.current,
    secrets.marker?.previous,
    secrets.model?.key,
    secrets.model?.subscription,
    ...(secrets.model?.providers?.values() ?? []),
    ...secrets.messageTokens,
    secrets.console?.read,
    secrets.console?.write,
    secrets.console?.login,
    ...[...secrets.receivers.values()].flatMap(partsOf),
    ...forges,
  ];
  return [...new Set(all.filter((value) => typeof value === 'string').filter((value) => value !== ''))];
}
