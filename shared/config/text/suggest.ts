/** Returns the number of single-character edits between two short words; swapping two neighbours counts as one edit. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}

const withoutSeparators = (word: string): string => word.toLowerCase().replace(/[_-]/g, '');

/** Returns the known word that was probably meant; null if no word is similar. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const wanted = withoutSeparators(word).slice(0, 40);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, withoutSeparators(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate ?? null;
}
