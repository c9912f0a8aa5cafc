import { createHash } from 'node:crypto';

/** Number of runs of a property test: few normally, many with `FIXPOINT_DEEP=1`. The seed is fixed. */
export const propertyRuns = (normal: number, deep: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: process.env.FIXPOINT_DEEP === '1' ? deep : normal,
  seed: 20_260_101,
});

/** Timeout for a property test. Generous in deep runs, because it only matters when something hangs. */
export const propertyMs = (normalMs: number): number =>
  process.env.FIXPOINT_DEEP === '1' ? Math.max(normalMs, 1_800_000) : normalMs;

/** Only the first of several similar slow items; all of them in the deep run. */
export const usually = <Item>(...all: readonly [Item, ...Item[]]): readonly Item[] =>
  process.env.FIXPOINT_DEEP === '1' ? all : all.slice(0, 1);

type Environment = Readonly<Record<string, string | undefined>>;

export type Shard = { readonly index: number; readonly of: number };

/** With more shards, one shard would have fewer evil runs than the normal run, which must reach every kind of end. */
export const MOST_SHARDS = 16;

/** Reads `FIXPOINT_DEEP_SHARD=2/4`: the shard of the long generated suites to run. Null runs all. */
export const readShard = (env: Environment): Shard | null => {
  const text = env['FIXPOINT_DEEP_SHARD'];
  if (text === undefined) return null;
  const [, index = 0, of = 0] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(text) ?? []).map(Number);
  if (index === 0 || index > of || of > MOST_SHARDS) {
    const range = `1 <= i <= n <= ${MOST_SHARDS}`;
    throw new Error(`FIXPOINT_DEEP_SHARD must be i/n with ${range}, for example 2/4; it is ${JSON.stringify(text)}`);
  }
  if (env['FIXPOINT_DEEP'] !== '1') throw new Error('FIXPOINT_DEEP_SHARD has no effect without FIXPOINT_DEEP=1');
  return { index, of };
};

/** This shard's items, in order. The split depends only on the number of items. */
export const shareOf = <Item>(items: readonly Item[], { index, of }: Shard): readonly Item[] => {
  const digest = (at: number): string => createHash('sha256').update(`20260101 ${at}`).digest('hex');
  const shuffled = items.map((_item, at) => ({ at, by: digest(at) })).toSorted((a, b) => (a.by < b.by ? -1 : 1));
  const mine = new Set(shuffled.flatMap(({ at }, position) => (position % of === index - 1 ? [at] : [])));
  return items.filter((_item, at) => mine.has(at));
};

/** Splits the table of a suite that takes over an hour in the deep run. `what` names the items in the output. */
export const shardOf = <Item>(
  what: string,
  items: readonly Item[],
  {
    env = process.env,
    print = (line: string): void => void process.stdout.write(`${line}\n`),
  }: { readonly env?: Environment; readonly print?: (line: string) => void } = {},
): readonly Item[] => {
  const shard = readShard(env);
  if (shard === null) return items;
  const share = shareOf(items, shard);
  print(`share ${shard.index} of ${shard.of}: ${share.length} of ${items.length} ${what}`);
  return share;
};
