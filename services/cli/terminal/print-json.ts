/**
 * JSON for a pipe that may turn out to be a terminal. What would drive one stands inside strings only, where an escape
 * means the same: C1 controls, DEL, directional marks and whatever else cannot be seen.
 */
export const printJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replaceAll(HIDDEN, escapeUnits)}\n`;

const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join('');

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
