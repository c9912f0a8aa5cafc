/**
 * JSON that is safe to print on a terminal: C1 controls, DEL, directional marks and other invisible characters are
 * escaped. These characters occur only inside strings, where the escape has the same meaning.
 */
export const printJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replaceAll(HIDDEN, escapeUnits)}\n`;

const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join('');

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
