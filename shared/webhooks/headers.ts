/** Headers as Node provides them: lower-case names, repeated headers joined. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns null when the header is absent. An empty header counts as present. */
export const readHeader = (headers: DeliveryHeaders, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
};

const readFirstHeader = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = readHeader(headers, name);
    if (value !== null) return value;
  }
  return null;
};

/** Returns null when the forge sent no valid id. */
export const readDeliveryId = (headers: DeliveryHeaders, names: readonly string[]): string | null => {
  const id = readFirstHeader(headers, names);
  return id !== null && /^[\w-]{1,128}$/.test(id) ? id : null;
};
