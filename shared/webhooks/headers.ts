/** Headers as Node provides them: lower-case names, repeated headers joined. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns null when the header is absent. An empty header counts as present. */
export const readHeader = (headers: DeliveryHeaders, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
};

export const readFirstHeader = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = readHeader(headers, name);
    if (value !== null) return value;
  }
  return null;
};

const FORGEJO_DELIVERY = ['x-forgejo-delivery', 'x-gitea-delivery'];

/** Do not use X-Gitlab-Webhook-UUID: despite its name it changes with every request. */
const GITLAB_DELIVERY = ['idempotency-key', 'webhook-id'];

const readDeliveryId = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  const id = readFirstHeader(headers, names);
  return id !== null && /^[\w-]{1,128}$/.test(id) ? id : null;
};

/** A manual replay has a new id. Returns null when the forge sent no valid id. */
export const readForgejoDeliveryId = (headers: DeliveryHeaders): string | null =>
  readDeliveryId(headers, FORGEJO_DELIVERY);

/** Each event of a hook has one id. Retries and resends keep it. */
export const readGitlabDeliveryId = (headers: DeliveryHeaders): string | null =>
  readDeliveryId(headers, GITLAB_DELIVERY);
