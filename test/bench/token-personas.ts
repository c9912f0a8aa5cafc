/** Six pushes to one change before models that forget, insist or resolve everything: what they cost, and what is said twice. */
import type { FileMap } from '../sim/forgejo/git.ts';
import { type Defect, findDefects } from '../sim/messages/defects.ts';
import type { Exchange } from '../sim/messages/exchange.ts';
import { spendOf } from '../sim/messages/log.ts';
import { reply, toolUse } from '../sim/messages/reply.ts';
import { readDiff } from '../sim/messages/read-diff.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { threadsIn } from '../sim/messages/submission.ts';
import { MINUTE_MS, type TokenWorld, withTokenWorld } from './token-world.ts';

const BUGS = ['reads past the end', 'drops the last item', 'forgets the currency'] as const;

type Bug = (typeof BUGS)[number];

const lines = (file: number, bug: Bug | null, shift = 0): string =>
  Array.from({ length: 32 }, (_, line) => {
    const planted = bug !== null && line === 12 ? ` // DEFECT(P1: ${bug})` : '';
    return `export const value${file}_${line} = (input, scale) => input * scale + ${line * 31 + shift};${planted}\n`;
  }).join('');

const OPENED = Array.from(
  { length: 25 },
  (_, file) => [`src/part${file}.js`, lines(file, BUGS[file] ?? null)] as const,
);

/** Bugs 1 and 2 from the start, bug 3 from push 4; all are fixed in the end. The fifth push changes nothing. */
const PUSHES: readonly FileMap[] = [
  { ...Object.fromEntries(OPENED), 'src/part2.js': lines(2, null) },
  { 'src/part9.js': lines(9, null, 1), 'src/part0.js': lines(0, null) },
  { 'src/part10.js': lines(10, null, 1) },
  { 'src/part2.js': lines(2, BUGS[2]) },
  {},
  { 'src/part1.js': lines(1, null), 'src/part2.js': lines(2, null) },
];

type Answer = { readonly action: string; readonly stance: string; readonly body: string };

const RESOLVE: Answer = { action: 'resolve', stance: 'accepts', body: 'Done.' };
const insist = (actions: readonly string[]): Answer => {
  const action = ['reply', 'veto'].find((each) => actions.includes(each));
  return action === undefined ? RESOLVE : { action, stance: 'seeks_change', body: 'It is still wrong.' };
};

const inTree = (tree: FileMap): readonly Defect[] =>
  Object.entries(tree).flatMap(([path, text]) =>
    findDefects(
      String(text)
        .split('\n')
        .map((content, index) => ({ path, line: index + 1, kind: 'added' as const, text: content })),
    ),
  );

/** Open and closed threads are listed by id and title. */
const isNamed = ({ firstUserText }: Exchange, { title }: Defect): boolean =>
  firstUserText.split('\n').some((line) => /^F-\d+ P\d/.test(line) && line.endsWith(title));

type Persona = {
  readonly reports: (exchange: Exchange, tree: FileMap) => readonly Defect[];
  readonly answers: (id: string, actions: readonly string[], about: { readonly isFixed: boolean }) => Answer;
};

const PERSONAS: Readonly<Record<string, Persona>> = {
  forgetful: {
    reports: (_exchange, tree) => inTree(tree),
    answers: (_id, actions, { isFixed }) => (isFixed ? RESOLVE : insist(actions)),
  },
  stubborn: { reports: (_exchange, tree) => inTree(tree), answers: (_id, actions) => insist(actions) },
  'resolves everything': {
    reports: (exchange) => findDefects(readDiff(exchange.firstUserText)).filter((one) => !isNamed(exchange, one)),
    answers: () => RESOLVE,
  },
};

const titleOf = ({ firstUserText }: Exchange, id: string): string =>
  new RegExp(`^${id} P\\d: (.*)$`, 'm').exec(firstUserText)?.[1] ?? '';

const persona =
  ({ reports, answers }: Persona, tree: () => FileMap) =>
  (exchange: Exchange) => {
    const left = new Set(inTree(tree()).map(({ title }) => title));
    const given = threadsIn(exchange).map(({ id, actions }) => ({
      thread: id,
      ...answers(id, actions, { isFixed: !left.has(titleOf(exchange, id)) }),
    }));
    const findings = reports(exchange, tree());
    return reply([toolUse('submit_review', { summary: 'Read it.', findings, answers: given, not_reviewed: [] })]);
  };

const tell = async (world: TokenWorld, name: string, tree: { now: FileMap }): Promise<void> => {
  const branch = name.replaceAll(' ', '-');
  const cells: string[] = [];
  let total = 0;
  tree.now = {};
  for (const files of PUSHES) {
    tree.now = { ...tree.now, ...files };
    world.pass(5 * MINUTE_MS);
    const { calls, inputTokens, outputTokens } = spendOf(await world.review({ branch, files }));
    total += inputTokens + outputTokens;
    cells.push(`${inputTokens + outputTokens}/${calls}`.padStart(10));
  }
  const said = BUGS.map((bug) => world.inline(branch).filter((body) => body.includes(`${bug}: `)).length);
  const twice = said.some((times) => times > 1) ? 'SAID TWICE' : 'nothing twice';
  console.log(`${name.padEnd(20)}${cells.join('')}${String(total).padStart(9)}   threads ${said.join(' ')}: ${twice}`);
};

export const benchTokenPersonas = async (): Promise<void> => {
  console.log(
    '\nSix pushes to one medium change: tokens/calls of each push, and in all; threads of each of three bugs',
  );
  await withTokenWorld(async (world) => {
    world.model.script(seededReviewer(5));
    for (const [name, one] of Object.entries(PERSONAS)) {
      const tree: { now: FileMap } = { now: {} };
      const handle = world.model.script(
        persona(one, () => tree.now),
        { hasTool: 'submit_review' },
      );
      await tell(world, name, tree);
      handle.remove();
    }
  });
};
