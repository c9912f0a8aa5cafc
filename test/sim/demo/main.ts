import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { playStory, type Teller } from './story.ts';
import { forgeNames, parseForgeName } from './start-forge.ts';
import { startDemoWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    port: { type: 'string' },
    forge: { type: 'string', default: 'forgejo' },
  },
});

/** With `--json`, stdout holds the one object and nothing else. */
const tell: Teller = (line) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);

const forge = parseForgeName(values.forge);
if (forge === null) {
  process.stderr.write(`--forge must be one of ${forgeNames.join(', ')}\n`);
  process.exit(2);
}

const world = await startDemoWorld({
  tell,
  forge,
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
});
let finished = false;
try {
  const report = await playStory(world, tell);
  finished = report.rounds.at(-1)?.verdict === 'lgtm';
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (!values.once) {
    tell(`The forge stays up at ${world.forge.url} until you press Ctrl-C.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  }
} finally {
  await world.close();
}
process.exit(finished ? 0 : 1);
