declare const brand: unique symbol;

/** A path on a forge with every variable part encoded. Only `apiPath` creates one. */
export type ApiPath = string & { readonly [brand]: 'ApiPath' };

const encodePart = (value: string | number): string => {
  const text = String(value);
  // URL normalisation would remove a part that consists only of dots, which would change the path.
  if (text === '' || /^\.+$/.test(text)) throw new RangeError('a path segment must not consist only of dots');
  return encodeURIComponent(text);
};

/** Template tag: apiPath`/repos/${owner}/${name}`. A variable part cannot add a segment, a query or a fragment. */
export const apiPath = (literals: TemplateStringsArray, ...parts: readonly (string | number)[]): ApiPath =>
  // The only place that adds the brand.
  literals.reduce((path, literal, index) => path + encodePart(parts[index - 1] ?? '') + literal) as ApiPath;

export type Query = Readonly<Record<string, string | number>>;

export const withQuery = (path: string, query: Query): string => {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) parameters.set(key, String(value));
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
};
