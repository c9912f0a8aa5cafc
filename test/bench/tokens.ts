/**
 * What a review by a model costs: five change requests of growing size over three rounds, through all services, under
 * the caching rules of the simulated Messages API. The reviewer behind it works as one does: it reads in several turns,
 * sends explorers in round 1, and the author mends half of what is left before each next round.
 */
import type { FileMap } from '../sim/forgejo/git.ts';
import type { Exchange } from '../sim/messages/exchange.ts';
import { type Spend, spendOf } from '../sim/messages/log.ts';
import { reply, toolUse } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import type { MessagesSim } from '../sim/messages/start.ts';
import { AUTHOR, OWNER } from '../sim/demo/forge.ts';
import { type DemoWorld, startDemoWorld } from '../sim/demo/world.ts';
import { benchTokenCache } from './token-cache.ts';
import { benchTokenPersonas } from './token-personas.ts';

/** Files of the change, and lines that the change adds to each. */
const SIZES = [
  { files: 1, lines: 40 },
  { files: 4, lines: 60 },
  { files: 10, lines: 60 },
  { files: 20, lines: 80 },
  { files: 30, lines: 80 },
] as const;

const ROUNDS = 3;
const ROUND_MS = 120_000;
/** Turns in which the reviewer looks around before it hands in: as many as the prompt advises for the size. */
const LOOKING_TURNS = [
  ['This change is large.', 4],
  ['This change is small.', 2],
  ['This change is very small.', 1],
] as const;

const CACHED_GOAL = 0.8;
const LATER_GOAL = 1 / 3;

type Size = (typeof SIZES)[number];

/** Two defects in every fourth file; one is mended before round 2, the other before round 3. */
const fileAt = (file: number, { lines }: Size, review: number): string =>
  Array.from({ length: lines }, (_, line) => {
    const isBroken = file % 4 === 0 && ((line === 10 && review < 2) || (line === 30 && review < ROUNDS));
    return isBroken
      ? `export const value${file}_${line} = (input) => eval(input + ${line});`
      : `export const value${file}_${line} = (input, scale) => input * scale + ${line * 31 + file};`;
  })
    .concat('')
    .join('\n');

const filesOf = (of: Size, review: number): FileMap =>
  Object.fromEntries(Array.from({ length: of.files }, (_, file) => [`src/part${file}.js`, fileAt(file, of, review)]));

const QUESTIONS = ['Who calls the values of src/part0.js?', 'Which tests cover the values that changed?'] as const;

/** Some files a turn, each once, as long as the turns for looking last; then what the seeded reviewer hands in. */
const script = (model: MessagesSim): void => {
  const isReviewer = { hasTool: 'submit_review' } as const;
  const reviewer = seededReviewer(5);
  model.script(seededReviewer(5));
  model.script(async (exchange) => {
    const looks = lookAround(exchange);
    return typeof reviewer === 'function' && looks === null ? reviewer(exchange) : looks;
  }, isReviewer);
};

const lookAround = ({ turn, firstUserText, tools }: Exchange) => {
  const [, turns] = LOOKING_TURNS.find(([advice]) => firstUserText.includes(advice)) ?? ['', 1];
  if (turn >= turns) return null;
  const paths = [...new Set(firstUserText.match(/src\/part\d+\.js/g) ?? [])];
  const isOffered = tools.some(({ name }) => name === 'Agent');
  const asks = isOffered && turn === 0 && firstUserText.includes('This is review 1.');
  const reads = paths.slice(turn * 2, turn * 2 + 2).map((path) => toolUse('Read', { path, limit: 60 }));
  const grep = toolUse('Grep', { pattern: `value${turn}_` });
  return reply([...(asks ? QUESTIONS.map((question) => toolUse('Agent', { question })) : []), ...reads, grep]);
};

type Measured = { readonly size: Size; readonly rounds: readonly Round[] };
type Round = { readonly all: Spend; readonly laterTurns: Spend };

const measureReview = async (world: DemoWorld, number: number, from: number): Promise<Round> => {
  const { forge, model } = world;
  await forge.until(() => {
    const state = forge.look(number).headStatuses['fixpoint'];
    return state !== undefined && state !== 'pending';
  }, ROUND_MS);
  const entries = model?.sim.requests.slice(from) ?? [];
  return { all: spendOf(entries), laterTurns: spendOf(entries.filter(({ turn }) => (turn ?? 0) > 0)) };
};

const measureOne = async (world: DemoWorld, size: Size, index: number): Promise<Measured> => {
  const { forge, model } = world;
  const branch = `change-${index}`;
  const rounds: Round[] = [];
  let number = 0;
  for (let review = 1; review <= ROUNDS; review += 1) {
    const from = model?.sim.requests.length ?? 0;
    await forge.commit({ branch, files: filesOf(size, review), message: `Round ${review}\n`, author: AUTHOR });
    if (review === 1) ({ number } = await forge.open({ branch, title: `Change ${size.files} files`, description: '' }));
    rounds.push(await measureReview(world, number, from));
  }
  return { size, rounds };
};

const columns = (cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(26) : String(cell).padStart(12))).join('');

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const sum = (spends: readonly Spend[], of: (spend: Spend) => number): number =>
  spends.reduce((total, spend) => total + of(spend), 0);

const print = (measured: readonly Measured[]): void => {
  console.log('\nTokens: five change requests over three rounds, ratio = input against round 1 of the same change');
  console.log(columns(['', 'calls', 'input', 'ratio', 'cached', 'after 1st', 'output', 'dollars']));
  for (const { size, rounds } of measured) {
    for (const [index, { all, laterTurns }] of rounds.entries()) {
      const first = rounds[0]?.all.inputTokens ?? 1;
      const ratio = (all.inputTokens / first).toFixed(2);
      const name = `${size.files} files, round ${index + 1}`;
      const shares = [percent(all.cachedShare), percent(laterTurns.cachedShare)];
      console.log(
        columns([name, all.calls, all.inputTokens, ratio, ...shares, all.outputTokens, all.costUsd.toFixed(3)]),
      );
    }
  }
  const later = measured.flatMap(({ rounds }) => rounds.map(({ laterTurns }) => laterTurns));
  const cached = sum(later, ({ cacheReadTokens }) => cacheReadTokens) / sum(later, ({ inputTokens }) => inputTokens);
  const of = (index: number): number =>
    sum(
      measured.flatMap(({ rounds }) => rounds[index]?.all ?? []),
      ({ inputTokens }) => inputTokens,
    );
  const [second, third] = [of(1) / of(0), of(2) / of(0)];
  const say = (met: boolean): string => (met ? 'met' : 'MISSED');
  console.log(
    `From the cache after the first turn: ${percent(cached)} (goal ${percent(CACHED_GOAL)}: ${say(cached >= CACHED_GOAL)})`,
  );
  console.log(
    `Input of rounds 2 and 3 against round 1: ${second.toFixed(2)}, ${third.toFixed(2)} (goal 0.33: ${say(Math.max(second, third) <= LATER_GOAL)})`,
  );
};

export const benchTokens = async (): Promise<void> => {
  await benchTokenCache();
  await benchTokenPersonas();
  await benchRounds();
};

const benchRounds = async (): Promise<void> => {
  const world = await startDemoWorld({
    tell: () => {},
    runner: 'agent',
    log: { logTo: { write: () => {} }, logLevel: 'error' },
  });
  try {
    const { model, forge } = world;
    if (model === null) throw new Error('the bench has no model');
    script(model.sim);
    await forge.commit({ branch: 'main', files: { 'README.md': '# Shop\n' }, message: 'Begin\n', author: OWNER });
    const measured: Measured[] = [];
    for (const [index, size] of SIZES.entries()) measured.push(await measureOne(world, size, index));
    print(measured);
    if (model.sim.violations.length > 0) throw new Error(model.sim.violations.join('\n'));
  } finally {
    await world.close();
  }
};
