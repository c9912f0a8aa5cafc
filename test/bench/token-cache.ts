/**
 * What share of the input a provider reads from its cache: over whole runs that use their last turn, over later reviews of the
 * same change, and over small changes; and what every request pays for tools and instructions.
 */
import type { FileMap } from '../sim/forgejo/git.ts';
import type { Exchange } from '../sim/messages/exchange.ts';
import { type RequestEntry, spendOf } from '../sim/messages/log.ts';
import { reply, toolUse } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { FIXED_LIMITS, fixedTokens } from './fixed-tokens.ts';
import { MINUTE_MS, type TokenWorld, withTokenWorld } from './token-world.ts';

const REPEATS = 3;
const GAPS_MINUTES = [5, 50] as const;
const PUSHES_PER_GAP = 4;
const GOALS = { whole: 0.8, later: 0.6, lastTurn: 0.1 } as const;

const lines = (file: number, seed: number, changed = -1): string =>
  Array.from({ length: 24 + seed * 6 }, (_, line) => {
    const factor = line * 31 + file + seed * 7 + (line >= 10 && line < 13 ? changed + 1 : 0);
    return `export const value${file}_${line} = (input, scale) => input * scale + ${factor};\n`;
  }).join('');

/** 25 files of 30, 36 or 42 lines are 18,000 to 25,000 tokens of diff. */
const mediumChange = (seed: number): FileMap =>
  Object.fromEntries(Array.from({ length: 25 }, (_, file) => [`src/part${file}.js`, lines(file, seed)]));

/** Looks around for the given number of turns, then hands in. */
const lookingReviewer = (turns: () => number) => {
  const last = seededReviewer(5);
  return (exchange: Exchange) => {
    const { turn, firstUserText } = exchange;
    if (turn >= turns()) return last(exchange);
    const paths = [...new Set(firstUserText.match(/src\/part\d+\.js/g) ?? ['src/part0.js'])];
    const reads = [0, 1].map((add) => paths[(turn * 2 + add) % paths.length] ?? '');
    return reply([
      ...[...new Set(reads)].map((path) => toolUse('Read', { path, limit: 60 })),
      toolUse('Grep', { pattern: `value${turn}_` }),
    ]);
  };
};

type Measured = {
  readonly whole: number;
  readonly lastTurn: number;
  readonly later: Readonly<Record<number, number>>;
  readonly small: readonly [share: number, tokens: number];
  readonly fixed: readonly [small: number, large: number];
};

const measure = async (world: TokenWorld, seed: number, turns: { now: number }): Promise<Measured> => {
  const branch = `change-${seed}`;
  // Nothing of an earlier repeat is in the cache.
  world.pass(180 * MINUTE_MS);
  turns.now = 7;
  const run = await world.review({ branch, files: mediumChange(seed) });
  turns.now = 2;
  const later: Record<number, number> = {};
  for (const [index, minutes] of GAPS_MINUTES.entries()) {
    const entries: RequestEntry[] = [];
    for (let push = 0; push < PUSHES_PER_GAP; push += 1) {
      const file = index * PUSHES_PER_GAP + push;
      world.pass(minutes * MINUTE_MS);
      entries.push(...(await world.review({ branch, files: { [`src/part${file}.js`]: lines(file, seed, push + 1) } })));
    }
    later[minutes] = spendOf(entries).cachedShare;
  }
  world.pass(180 * MINUTE_MS);
  const small = await world.review({ branch: `small-${seed}`, files: { 'src/small.js': lines(99, seed) } });
  const { costUsd, cachedShare } = spendOf(run);
  const [first, last] = [run[0], run.at(-1)];
  if (run.length !== 8 || first === undefined || last === undefined) throw new Error(`${run.length} turns, not 8`);
  const smallest = small[0];
  if (smallest === undefined) throw new Error('the small change was not reviewed');
  return {
    whole: cachedShare,
    lastTurn: last.costUsd / costUsd,
    later,
    small: [spendOf(small).cachedShare, spendOf(small).inputTokens],
    fixed: [fixedTokens(smallest), fixedTokens(first)],
  };
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const spread = (values: readonly number[], show: (value: number) => string): string => {
  const sorted = values.toSorted((one, other) => one - other);
  return `${show(sorted[Math.floor(sorted.length / 2)] ?? 0)} (${show(sorted[0] ?? 0)} to ${show(sorted.at(-1) ?? 0)})`;
};

type Goal = { readonly value: number; readonly atMost?: boolean };

const row = (name: string, values: readonly number[], show: (value: number) => string, goal?: Goal): void => {
  const isMet = values.every((value) => (goal?.atMost === true ? value <= goal.value : value >= (goal?.value ?? 0)));
  const word = goal === undefined ? '' : `  goal ${show(goal.value)}: ${isMet ? 'met' : 'MISSED'}`;
  console.log(`${name.padEnd(58)}${spread(values, show)}${word}`);
};

const whole = (value: number): string => value.toFixed(0);

export const benchTokenCache = async (): Promise<void> => {
  const measured: Measured[] = [];
  await withTokenWorld(async (world) => {
    const turns = { now: 0 };
    world.model.script(seededReviewer(5));
    world.model.script(
      lookingReviewer(() => turns.now),
      { hasTool: 'submit_review' },
    );
    for (let seed = 1; seed <= REPEATS; seed += 1) measured.push(await measure(world, seed, turns));
  });
  const of = (value: (one: Measured) => number): readonly number[] => measured.map(value);
  console.log(`\nCache reads ÷ all input of the reviewer, median of ${REPEATS} (lowest to highest)`);
  const cached = { value: GOALS.whole };
  row(
    'medium change, 8 turns with the last one',
    of((one) => one.whole),
    percent,
    cached,
  );
  for (const minutes of GAPS_MINUTES)
    row(
      `reviews 2 and later, ${minutes} minutes apart`,
      of((one) => one.later[minutes] ?? 0),
      percent,
      {
        value: GOALS.later,
      },
    );
  row(
    'small change',
    of(({ small }) => small[0]),
    percent,
  );
  row(
    'small change, input tokens',
    of(({ small }) => small[1]),
    whole,
  );
  row(
    "last turn's share of the cost of the run",
    of((one) => one.lastTurn),
    percent,
    {
      value: GOALS.lastTurn,
      atMost: true,
    },
  );
  row(
    'tools and instructions, tokens, small change',
    of(({ fixed }) => fixed[0]),
    whole,
    {
      value: FIXED_LIMITS.small,
      atMost: true,
    },
  );
  row(
    'tools and instructions, tokens, large change',
    of(({ fixed }) => fixed[1]),
    whole,
    {
      value: FIXED_LIMITS.large,
      atMost: true,
    },
  );
};
