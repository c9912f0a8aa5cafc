/** `npm run bench [-- NAME...]`: all benches, or the named ones. Each prints ratios against a baseline of the same run. */
import { benchCage } from './cage.ts';
import { benchDiff } from './diff.ts';
import { benchDuplicates } from './duplicates.ts';
import { benchFairness } from './fairness.ts';
import { benchIngress } from './ingress.ts';
import { benchLarge } from './large.ts';
import { benchLinear } from './linear.ts';
import { benchPipeline } from './pipeline.ts';
import { benchRounds } from './rounds.ts';
import { benchScale } from './scale.ts';
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
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => BENCHES[name] === undefined);
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}; expected ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(BENCHES)) if (asked.length === 0 || asked.includes(name)) await bench();
