/** How much of what a simulator answers is proved. */
import type { Document } from '../../sim/shared/proof-document.ts';
import type { Section } from './sections.ts';

export type Share = {
  /** Each row once. */
  readonly rows: number;
  /** Each answer of each route, those of the steps on its way included. */
  readonly answersOfRoutes: number;
  readonly text: string;
};

type Count = { readonly proved: number; readonly all: number };

const countOf = (cells: readonly string[]): Count => {
  const given = cells.filter((cell) => cell !== '—');
  return { proved: given.filter((cell) => !cell.startsWith('assumed')).length, all: given.length };
};

const ratio = ({ proved, all }: Count): number => (all === 0 ? 0 : proved / all);
const told = (count: Count): string => `${count.proved} of ${count.all} (${(100 * ratio(count)).toFixed(1)} %)`;

export const shareOf = (document: Document, sections: readonly Section[], forge: number): Share => {
  const cells = new Map(
    document.entries.map(({ heading, rows }) => [heading, [...rows.values()].map((all) => all[forge] ?? 'assumed')]),
  );
  const rows = countOf([...cells.values()].flat());
  const routes = sections.filter(({ heading }) => /^[A-Z]+ \//.test(heading));
  const onTheWay = routes.flatMap(({ heading, passes }) => [heading, ...passes].flatMap((one) => cells.get(one) ?? []));
  const answers = countOf(onTheWay);
  const text = `${told(rows)} of the rows are proved; of the answers of single routes ${told(answers)}`;
  return { rows: ratio(rows), answersOfRoutes: ratio(answers), text };
};
