declare const brand: unique symbol;

/** A path below a forge's API root, every variable part encoded. Only `apiPath` makes one. */
export type ApiPath = string & { readonly [brand]: 'ApiPath' };

const encodePart = (value: string | number): string => {
  const text = String(value);
  // A part of only dots would be folded by URL normalisation and address something else.
  if (text === '' || /^\.+$/.test(text)) throw new RangeError('a path part must be more than dots');
  return encodeURIComponent(text);
};

/** Template tag: apiPath`/repos/${owner}/${name}`. A variable part can never add a segment, a query or a fragment. */
export const apiPath = (literals: TemplateStringsArray, ...parts: readonly (string | number)[]): ApiPath =>
  // The only place where the brand is given.
  literals.reduce((path, literal, index) => path + encodePart(parts[index - 1] ?? '') + literal) as ApiPath;

export type Query = Readonly<Record<string, string | number>>;

export const withQuery = (path: string, query: Query): string => {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) parameters.set(key, String(value));
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
};
