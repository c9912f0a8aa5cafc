/** Tests that Rust keeps in the same file as the program. */

const ATTRIBUTE =
  /^(\s{0,99})#\[(?:cfg\((?:test|(?:all|any)\((?![^\]\n]{0,99}\bnot\()[^\]\n]{0,99}\btest\b[^\]\n]{0,99}\))\)|(?:[\w:]{1,60}::)?(?:test|rstest)(?:\([^\n]{0,200})?)\]?/;
const OTHER_ATTRIBUTE = /^\s{0,99}(?:#!?\[|\/\/)/;
const MAX_LINE_CHARACTERS = 500;

/**
 * The last line, counted from 0, of the item that begins there: one that ends with `;` before any brace, or the last brace,
 * which formatters put below the beginning of the item.
 */
const endOf = (lines: readonly string[], from: number, indent: string): number => {
  if (/\}\s*$/.test(lines[from] ?? '')) return from;
  let hasBrace = false;
  for (let index = from; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    hasBrace ||= line.includes('{');
    if (!hasBrace && /;\s*$/.test(line)) return index;
    if (hasBrace && line.startsWith(`${indent}}`)) return index;
  }
  return from;
};

/** The lines, counted from 1, of tests in a file that also has the program. */
export const testLines = (path: string, lines: readonly string[]): ReadonlySet<number> => {
  const found = new Set<number>();
  if (!path.toLowerCase().endsWith('.rs')) return found;
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent] = ATTRIBUTE.exec((lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS)) ?? [];
    if (indent === undefined) continue;
    let first = index + 1;
    while (OTHER_ATTRIBUTE.test(lines[first] ?? '')) first += 1;
    const end = endOf(lines, first, indent);
    for (let line = index + 1; line <= end + 1; line += 1) found.add(line);
    index = end;
  }
  return found;
};
