/** Headers as Node gives them: names in lower case, repeated ones joined. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Null when absent; an empty header is present. */
export const readHeader = (headers: DeliveryHeaders, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
};

/** The first of `names` that is present, even when it is empty. */
export const readFirstHeader = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = readHeader(headers, name);
    if (value !== null) return value;
  }
  return null;
};

const FORGEJO_DELIVERY = ['x-forgejo-delivery', 'x-gitea-delivery'];

/** X-Gitlab-Webhook-UUID is new in every request, whatever its name says: it must not be used here. */
const GITLAB_DELIVERY = ['idempotency-key', 'webhook-id'];

const readDeliveryId = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  const id = readFirstHeader(headers, names);
  return id !== null && /^[\w-]{1,128}$/.test(id) ? id : null;
};

/** A manual replay has a new id. Null when the forge sent none that is usable. */
export const readForgejoDeliveryId = (headers: DeliveryHeaders): string | null =>
  readDeliveryId(headers, FORGEJO_DELIVERY);

/** One per hook and event; the same in retries and resends. */
export const readGitlabDeliveryId = (headers: DeliveryHeaders): string | null =>
  readDeliveryId(headers, GITLAB_DELIVERY);
