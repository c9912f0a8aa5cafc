/** `npm run sim -- forgejo|gitlab --port 3000`: runs one simulated forge with seed data until it is interrupted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seedForgejo } from './forgejo/seed.ts';
import { startForgejoSim } from './forgejo/start.ts';
import { type Flavour, flavours, isFlavour } from './forgejo/traits.ts';
import { seedGitlab } from './gitlab/seed.ts';
import { startGitlabSim } from './gitlab/start.ts';
import { interrupted } from './shared/interrupted.ts';

const usage = `usage: npm run sim -- forgejo [--port N] [--flavour ${flavours.join('|')}] [--webhook URL --secret TEXT]
       npm run sim -- gitlab [--port N] [--edition ee|ce] [--webhook URL --secret TEXT]`;

const fail = (message: string): never => {
  console.error(`${message}\n${usage}`);
  process.exit(2);
};

const readArgs = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        port: { type: 'string', default: '3000' },
        flavour: { type: 'string', default: 'forgejo-15' },
        edition: { type: 'string', default: 'ee' },
        webhook: { type: 'string' },
        secret: { type: 'string', default: '' },
      },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const { values, positionals } = readArgs();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const port = Number(values.port);

type Running = { readonly lines: readonly string[]; readonly close: () => Promise<void> };
type Accounts = readonly { readonly login: string; readonly token: string }[];

const tokenLines = (accounts: Accounts): readonly string[] =>
  accounts.map((account) => `${account.login.padEnd(13)} token ${account.token}`);

const runForgejo = async (dataDir: string, flavour: Flavour): Promise<Running> => {
  const sim = await startForgejoSim({ dataDir, port, flavour });
  const { repo, number, accounts } = await seedForgejo(sim);
  if (values.webhook !== undefined) sim.addWebhook({ repo, url: values.webhook, secret: values.secret });
  const lines = [
    `${flavour} (${sim.traits.version}) at ${sim.url}`,
    `pull request  ${sim.url}/${repo}/pulls/${number}`,
    `clone         ${sim.url}/${repo}.git`,
    ...tokenLines(accounts),
  ];
  return { lines, close: () => sim.close() };
};

const runGitlab = async (dataDir: string, edition: 'ce' | 'ee'): Promise<Running> => {
  const sim = await startGitlabSim({ dataDir, port, edition });
  const { project, iid, accounts } = await seedGitlab(sim);
  if (values.webhook !== undefined) sim.addProjectHook({ project, url: values.webhook, token: values.secret });
  const lines = [
    `gitlab (${sim.world.version}) at ${sim.url}`,
    `merge request ${sim.url}/${project}/-/merge_requests/${iid}`,
    `clone         ${sim.url}/${project}.git`,
    ...tokenLines(accounts),
  ];
  return { lines, close: () => sim.close() };
};

const start = (forge: string, dataDir: string): Promise<Running> => {
  const { flavour, edition } = values;
  if (forge === 'gitlab') return runGitlab(dataDir, edition === 'ce' ? 'ce' : 'ee');
  return isFlavour(flavour) ? runForgejo(dataDir, flavour) : fail(`not a flavour: ${flavour}`);
};

const [forge = ''] = positionals;
if (positionals.length !== 1 || !['forgejo', 'gitlab'].includes(forge)) fail('which forge?');
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`not a port: ${values.port}`);
if (!isFlavour(values.flavour)) fail(`not a flavour: ${values.flavour}`);
if (!['ce', 'ee'].includes(values.edition)) fail(`not an edition: ${values.edition}`);
const dataDir = await mkdtemp(join(tmpdir(), `fixpoint-${forge}-`));
const running = await start(forge, dataDir);
const ended = interrupted();
for (const line of running.lines) console.log(line);
await ended;
await running.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
