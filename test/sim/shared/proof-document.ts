/** Parses `PROOF.md`, which lists the source of every answer of a simulator. */

export type Entry = {
  readonly heading: string;
  readonly passes: readonly string[];
  /** From the answer to one cell per forge. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
};

export type Document = {
  readonly intro: string;
  readonly forges: readonly string[];
  readonly entries: readonly Entry[];
};

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const entryOf = (text: string): Entry => {
  const lines = text.split('\n');
  const passes = lines.find((line) => line.startsWith('Passes: '))?.slice('Passes: '.length);
  const table = lines.filter((line) => line.startsWith('| `')).map(cellsOf);
  const rows = table.map(([row = '', ...cells]) => [row.slice(1, -1), cells] as const);
  const twice = rows.map(([row]) => row).filter((row, index, all) => all.indexOf(row) !== index);
  if (twice.length > 0) throw new Error(`under "${lines[0]}" the row \`${twice[0]}\` is there twice`);
  return { heading: (lines[0] ?? '').trim(), passes: passes?.split(' · ') ?? [], rows: new Map(rows) };
};

export const readDocument = (text: string): Document => {
  const [intro = '', ...sections] = text.split(/^## /m);
  const header = /^\| Answer \|(.+)\|$/m.exec(text)?.[1] ?? '';
  const forges = header.split('|').map((cell) => cell.trim());
  return { intro, forges, entries: sections.map(entryOf) };
};
