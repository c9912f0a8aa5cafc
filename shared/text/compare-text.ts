/** Compares by UTF-16 code units, so that an order does not depend on the language of the machine. */
export const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);
