/** The values that were given: those that are undefined are left out, so that a default applies. */
export const given = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
