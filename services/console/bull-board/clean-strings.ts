/** A JSON value without secrets in its strings and in the names of its fields. */
export const cleanStrings = (value: unknown, clean: (text: string) => string): unknown => {
  const cleaned = (part: unknown): unknown => {
    if (typeof part === 'string') return clean(part);
    if (Array.isArray(part)) return part.map(cleaned);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [clean(name), cleaned(one)]));
  };
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : cleaned(JSON.parse(text));
};
