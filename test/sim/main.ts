/** `npm run sim -- forgejo --port 3000 [--flavour forgejo-15]`: one simulated forge, seeded, until it is interrupted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seedForgejo } from './forgejo/seed.ts';
import { startForgejoSim } from './forgejo/start.ts';
import { flavours, isFlavour } from './forgejo/traits.ts';

const usage = `usage: npm run sim -- forgejo [--port N] [--flavour ${flavours.join('|')}] [--webhook URL --secret TEXT]`;

const fail = (message: string): never => {
  console.error(`${message}\n${usage}`);
  process.exit(2);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '3000' },
    flavour: { type: 'string', default: 'forgejo-15' },
    webhook: { type: 'string' },
    secret: { type: 'string', default: '' },
  },
});
const port = Number(values.port);
const { flavour } = values;
if (positionals.length !== 1 || positionals[0] !== 'forgejo') fail('which forge?');
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`not a port: ${values.port}`);
if (!isFlavour(flavour)) fail(`not a flavour: ${flavour}`);
else {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixpoint-forgejo-'));
  const sim = await startForgejoSim({ dataDir, port, flavour });
  const seeded = await seedForgejo(sim);
  if (values.webhook !== undefined) sim.addWebhook({ repo: seeded.repo, url: values.webhook, secret: values.secret });
  console.log(`${flavour} (${sim.traits.version}) at ${sim.url}`);
  console.log(`pull request  ${sim.url}/${seeded.repo}/pulls/${seeded.number}`);
  console.log(`clone         ${sim.url}/${seeded.repo}.git`);
  for (const account of seeded.accounts) console.log(`${account.login.padEnd(13)} token ${account.token}`);
  const stop = (): void => {
    void sim
      .close()
      .then(() => rm(dataDir, { recursive: true, force: true }))
      .then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
