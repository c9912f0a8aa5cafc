/** Holds `PROOF.md` against the source of its simulator, and writes it anew. */
import type { Document } from '../../sim/shared/proof-document.ts';
import type { Section } from './sections.ts';

const NEW = 'assumed: not looked up yet';

/** What must be done so that the document tells what the source does; empty when it does. */
export const differences = (document: Document, sections: readonly Section[], file: string): readonly string[] => {
  const entries = new Map(document.entries.map((entry) => [entry.heading, entry]));
  const added = sections.flatMap(({ heading, rows }) =>
    rows
      .filter((row) => entries.get(heading)?.rows.has(row) !== true)
      .map((row) => `${file}: add the row \`${row}\` under "## ${heading}", with the proof that the forge answers so`),
  );
  const wanted = new Map(sections.map(({ heading, rows }) => [heading, new Set(rows)]));
  const gone = document.entries.flatMap(({ heading, rows }) =>
    [...rows.keys()]
      .filter((row) => wanted.get(heading)?.has(row) !== true)
      .map(
        (row) => `${file}: take out the row \`${row}\` under "## ${heading}": the simulator has no such answer there`,
      ),
  );
  const moved = sections
    .filter(({ heading, passes }) => (entries.get(heading)?.passes ?? []).join(' · ') !== passes.join(' · '))
    .map(({ heading, passes }) => `${file}: under "## ${heading}" write "Passes: ${passes.join(' · ')}"`);
  return [...added, ...gone, ...moved];
};

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

type Known = (heading: string, row: string) => readonly string[];

/** Proofs follow their row to another heading when the old place is gone and nothing else is called like it. */
const knownIn = ({ forges, entries }: Document, sections: readonly Section[]): Known => {
  const wanted = new Set(sections.flatMap(({ heading, rows }) => rows.map((row) => `${heading}\0${row}`)));
  const all = entries.flatMap(({ heading, rows }) => [...rows].map(([row, cells]) => ({ heading, row, cells })));
  const left = all.filter(({ heading, row }) => !wanted.has(`${heading}\0${row}`));
  return (heading, row) => {
    const here = all.find((one) => one.heading === heading && one.row === row);
    const elsewhere = left.filter((one) => one.row === row);
    const [only] = elsewhere;
    if (here !== undefined) return here.cells;
    return elsewhere.length === 1 && only !== undefined ? only.cells : forges.map(() => NEW);
  };
};

export const writeDocument = (document: Document, sections: readonly Section[]): string => {
  const { forges, intro } = document;
  const known = knownIn(document, sections);
  const texts = sections.map(({ heading, passes, rows }) => {
    const head = [line(['Answer', ...forges]), line(['---', ...forges.map(() => '---')])];
    const table = rows.map((row) => line([`\`${row}\``, ...known(heading, row)]));
    const parts = [
      `## ${heading}`,
      ...(passes.length === 0 ? [] : [`Passes: ${passes.join(' · ')}`]),
      ...(rows.length === 0 ? [] : [[...head, ...table].join('\n')]),
    ];
    return parts.join('\n\n');
  });
  return `${[intro.trimEnd(), ...texts].join('\n\n')}\n`;
};
