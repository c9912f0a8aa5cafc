import { parseArgs } from 'node:util';
import { interrupted } from '../shared/interrupted.ts';
import { PICTURE, picturesFor } from './pictures.ts';
import type { ReviewSight } from './review-page.ts';
import { BRANCH, playStory, type Teller, TITLE, type Witness } from './story.ts';
import { forgeNames, parseForgeName } from './start-forge.ts';
import type { DemoModel } from './model.ts';
import { CHROMIUM_MISSING, findChromium, takePicture } from './take-picture.ts';
import { startDemoWorld } from './world.ts';

const USAGE = `npm run demo -- [--once] [--json] [--port NUMBER] [--forge ${forgeNames.join('|')}] [--runner rules|agent] [--screenshot [FILE]]
  --once        ends by itself after the story; else the forge stays up until Ctrl-C
  --json        prints the report as JSON
  --screenshot  takes all pictures of the guide with Chromium and ends (default FILE: ${PICTURE})
`;

/** Prints why an option is invalid, and exits with code 2. */
const refuse = (why: string): never => {
  process.stderr.write(`${why}\n\n${USAGE}`);
  process.exit(2);
};

const readOptions = () => {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
};

const OPTIONS = {
  help: { type: 'boolean', short: 'h', default: false },
  once: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  port: { type: 'string' },
  forge: { type: 'string', default: 'forgejo' },
  runner: { type: 'string', default: 'rules' },
  screenshot: { type: 'boolean', default: false },
} as const;

const { values, positionals } = readOptions();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const { port } = values;
if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) refuse('--port must be a port number');

if (positionals.length > (values.screenshot ? 1 : 0)) refuse(`unexpected argument: ${positionals.at(-1)}`);
const browser = values.screenshot ? findChromium(process.env['PATH'] ?? '') : null;
if (values.screenshot && browser === null) refuse(CHROMIUM_MISSING);

/** With `--json`, stdout contains only the JSON object. */
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
  ...(port === undefined ? {} : { port: Number(port) }),
});
let finished = false;
const sights: ReviewSight[] = [];
/** The second round has both fixed and open findings. */
const witness: Witness = async (round, { number, url }) => {
  if (browser === null || round !== 2) return;
  const diff = await (await fetch(`${url}.diff`)).text();
  sights.push({ number, title: TITLE, branch: BRANCH, sight: world.forge.look(number), diff });
};
try {
  const report = await playStory(world, tell, witness);
  finished = report.rounds.at(-1)?.verdict === 'lgtm';
  if (world.model !== null) tellOfModel(world.model, tell);
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (browser !== null) {
    const [file = PICTURE] = positionals;
    const [review] = sights;
    if (review === undefined) throw new Error('the demo had no second round');
    const pictures = picturesFor(file);
    for (const each of pictures) await takePicture(each.html(review), { ...each, browser });
    tell(`The pictures are ${pictures.map((each) => each.file).join(', ')}.`);
  }
  if (!values.once && browser === null) {
    // Listen before the message is printed: a program may react at once.
    const ended = interrupted();
    tell(`The forge stays up at ${world.forge.url} until you press Ctrl-C.`);
    await ended;
  }
} finally {
  await world.close();
}
process.exit(finished ? 0 : 1);
