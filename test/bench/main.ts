/**
 * `npm run bench [-- NAME...]`: all benches, or the named ones. Each prints ratios against a baseline of the same run.
 * `npm run bench -- soak [--minutes 12] [--change-requests 500] [--model]` takes long, and so is run only when it is named.
 */
import { parseArgs } from 'node:util';
import { benchCage } from './cage.ts';
import { benchDiff } from './diff.ts';
import { benchDuplicates } from './duplicates.ts';
import { benchFairness } from './fairness.ts';
import { benchFootprint } from './footprint.ts';
import { benchIngress } from './ingress.ts';
import { benchLarge } from './large.ts';
import { benchLinear } from './linear.ts';
import { benchPipeline } from './pipeline.ts';
import { benchRequests } from './requests.ts';
import { benchRounds } from './rounds.ts';
import { benchScale } from './scale.ts';
import { benchSoak } from './soak/soak.ts';
import { parseSoakWish, SOAK_OPTIONS } from './soak/wish.ts';
import { benchStorm } from './storm.ts';
import { benchTokens } from './tokens.ts';

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  ingress: benchIngress,
  pipeline: benchPipeline,
  fairness: benchFairness,
  diff: benchDiff,
  storm: async () => benchStorm(),
  tokens: benchTokens,
  duplicates: async () => benchDuplicates(),
  large: benchLarge,
  linear: benchLinear,
  cage: benchCage,
  rounds: benchRounds,
  scale: benchScale,
  footprint: benchFootprint,
  requests: benchRequests,
};

const SOAK = 'soak';

const fail = (message: string): never => {
  console.error(message);
  process.exit(2);
};

const readArgs = () => {
  try {
    return parseArgs({ allowPositionals: true, options: SOAK_OPTIONS });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const { values, positionals: asked } = readArgs();
const unknown = asked.filter((name) => name !== SOAK && BENCHES[name] === undefined);
if (unknown.length > 0) {
  fail(`there is no bench ${unknown.join(', ')}; expected ${[...Object.keys(BENCHES), SOAK].join(', ')}`);
}
const isSoak = asked.includes(SOAK);
if (!isSoak && Object.keys(values).length > 0)
  fail(`--${Object.keys(values).join(', --')}: only for the bench ${SOAK}`);
const soakWish = parseSoakWish(values);
if (typeof soakWish === 'string') fail(soakWish);
else {
  for (const [name, bench] of Object.entries(BENCHES)) if (asked.length === 0 || asked.includes(name)) await bench();
  if (isSoak) await benchSoak(soakWish);
}
