/** Every answer of the simulated forges is a row of `PROOF.md`, with what it rests on. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { everyRoute as forgejoRoutes, routesFor as forgejoRoutesFor } from '../sim/forgejo/router.ts';
import { traitsOf } from '../sim/forgejo/traits.ts';
import { routesFor as gitlabRoutesFor } from '../sim/gitlab/router.ts';
import { type Document, readDocument } from '../sim/shared/proof-document.ts';
import { differences, writeDocument } from './proof/document.ts';
import { sectionsOf } from './proof/sections.ts';
import { shareOf } from './proof/share.ts';
import { FORGEJO, GITLAB } from './proof/simulators.ts';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const GOAL = 0.9;
const NO_SUCH = '—';

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

const simulators = [
  { simulator: FORGEJO, routes: forgejoRoutes, forges: ['Forgejo', 'Gitea'] },
  { simulator: GITLAB, routes: gitlabRoutesFor('ee'), forges: ['GitLab'] },
].map(({ simulator, routes, forges }) => {
  const file = `${simulator.folder}/PROOF.md`;
  const document = readDocument(readFileSync(path.join(ROOT, file), 'utf8'));
  return { file, document, forges, sections: sectionsOf(simulator), routes: routes.map(nameOf) };
});

const cellsOf = (document: Document) =>
  document.entries.flatMap(({ heading, rows }) =>
    [...rows].flatMap(([row, cells]) => cells.map((cell, forge) => ({ heading, row, cell, forge }))),
  );

/** How a cell begins: what it quotes, or why nothing is quoted. */
const GRAMMAR =
  /^(?:—$|assumed: \S|source [\w./-]+\.(?:go|rb|rs|tmpl|md|yml)(?::\d+(?:-\d+)?)? \S|docs \S|recorded \S)/;

describe.each(simulators)('$file', ({ file, document, sections, routes, forges }) => {
  it('has a row for each answer of each handler and refusal, and no others', () => {
    // To let the rows be added: npx tsx test/sim-tests/proof/write.ts; then say what each of them rests on.
    expect(differences(document, sections, file)).toEqual([]);
  });

  it('has a section for each route that the simulator registers', () => {
    const headings = sections.map(({ heading }) => heading).filter((heading) => /^[A-Z]+ \//.test(heading));
    expect(headings.toSorted()).toEqual(routes.toSorted());
  });

  it('says in each row what it rests on', () => {
    expect(document.forges).toEqual(forges);
    const wrong = cellsOf(document).filter(({ cell }) => !GRAMMAR.test(cell));
    expect(wrong.map(({ heading, row, cell }) => `${heading}: ${row}: ${cell}`)).toEqual([]);
    const short = document.entries.flatMap(({ heading, rows }) =>
      [...rows].filter(([, cells]) => cells.length !== forges.length).map(([row]) => `${heading}: ${row}`),
    );
    expect(short).toEqual([]);
  });

  it.each(forges.map((name, index) => ({ name, index })))('proves at least nine rows in ten for $name', (forge) => {
    const share = shareOf(document, sections, forge.index);
    process.stdout.write(`${forge.name}: ${share.text}\n`);
    expect(share.rows).toBeGreaterThanOrEqual(GOAL);
    expect(share.answersOfRoutes).toBeGreaterThanOrEqual(GOAL);
  });

  it('is as the writer of rows would write it', () => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    expect(writeDocument(document, sections)).toBe(text);
  });
});

describe.each([
  { index: 0, name: 'Forgejo', flavour: 'forgejo-16' as const },
  { index: 1, name: 'Gitea', flavour: 'gitea-1.27' as const },
])('the column of $name', ({ index, flavour }) => {
  const [forgejo] = simulators;
  const has = new Set(forgejoRoutesFor(traitsOf(flavour)).map(nameOf));
  const routes = forgejo?.document.entries.filter(({ heading }) => /^[A-Z]+ \//.test(heading)) ?? [];

  it('is empty for routes that the newest release does not have, and for those alone', () => {
    const filled = routes.filter(({ rows }) => [...rows.values()].some((cells) => cells[index] !== NO_SUCH));
    const expected = routes.filter(({ heading, rows }) => rows.size > 0 && has.has(heading));
    expect(filled.map(({ heading }) => heading)).toEqual(expected.map(({ heading }) => heading));
  });
});
