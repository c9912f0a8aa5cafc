import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { playStory, type Teller } from './story.ts';
import { forgeNames, parseForgeName } from './start-forge.ts';
import type { DemoModel } from './model.ts';
import { startDemoWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    port: { type: 'string' },
    forge: { type: 'string', default: 'forgejo' },
    runner: { type: 'string', default: 'rules' },
  },
});

/** With `--json`, stdout holds the one object and nothing else. */
const tell: Teller = (line) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);

const forge = parseForgeName(values.forge);
if (forge === null) {
  process.stderr.write(`--forge must be one of ${forgeNames.join(', ')}\n`);
  process.exit(2);
}

const tellOfModel = ({ sim, explorers }: DemoModel, teller: Teller): void => {
  const { calls, inputTokens, cachedShare, costUsd } = sim.spend();
  const cached = Math.round(cachedShare * 100);
  teller(
    `The simulated model: ${calls} calls, ${explorers()} explorers, ${inputTokens} tokens read (${cached} % from its cache), $${costUsd.toFixed(2)} at list prices.`,
  );
};

const { runner } = values;
if (runner !== 'rules' && runner !== 'agent') {
  process.stderr.write('--runner must be one of rules, agent\n');
  process.exit(2);
}

const world = await startDemoWorld({
  tell,
  forge,
  runner,
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
});
let finished = false;
try {
  const report = await playStory(world, tell);
  finished = report.rounds.at(-1)?.verdict === 'lgtm';
  if (world.model !== null) tellOfModel(world.model, tell);
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (!values.once) {
    tell(`The forge stays up at ${world.forge.url} until you press Ctrl-C.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  }
} finally {
  await world.close();
}
process.exit(finished ? 0 : 1);
