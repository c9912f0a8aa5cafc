import path from 'node:path';
import { interrupted } from '../shared/interrupted.ts';
import { takeConsolePictures } from './console/console-pictures.ts';
import { startInnerRedis } from './inner-redis.ts';
import { isSaidOnce, type KillState, reportKill } from './kill.ts';
import type { DemoModel } from './model.ts';
import { type DemoWish, readOptions, USAGE } from './options.ts';
import { serveDemo } from './page/serve.ts';
import { takeAllPictures } from './pictures.ts';
import type { DemoReport } from './report.ts';
import { createSession, type DemoSession } from './session.ts';
import type { ReviewSight } from './review-page.ts';
import { BRANCH, playStory, type Teller, TITLE, type Witness } from './story.ts';
import { CHROMIUM_MISSING, findChromium } from './take-picture.ts';
import { type DemoWorld, startDemoWorld } from './world.ts';

/** Makes the meter of the page move; far above what the story costs. */
const LIMIT_USD = 0.5;

/** Prints why an option is invalid, and exits with code 2. */
const refuse = (why: string): never => {
  process.stderr.write(`${why}\n\n${USAGE}`);
  process.exit(2);
};

const wishOrExit = (): DemoWish => {
  const read = readOptions(process.argv.slice(2));
  if (read.kind === 'bad') return refuse(read.why);
  if (read.kind === 'wish') return read.wish;
  process.stdout.write(USAGE);
  return process.exit(0);
};

const wish = wishOrExit();
const browser = wish.screenshot === null ? null : findChromium(process.env['PATH'] ?? '');
if (wish.screenshot !== null && browser === null) refuse(CHROMIUM_MISSING);

/** With `--json`, stdout contains only the JSON object. */
const tell: Teller = (line) => (wish.json ? process.stderr : process.stdout).write(`${line}\n`);

const tellOfModel = ({ sim, explorers }: DemoModel): void => {
  const { calls, inputTokens, cachedShare, costUsd } = sim.spend();
  const cached = Math.round(cachedShare * 100);
  tell(
    `The simulated model: ${calls} calls, ${explorers()} explorers, ${inputTokens} tokens read (${cached} % from its cache), $${costUsd.toFixed(2)} at list prices.`,
  );
};

const play = async (world: DemoWorld, witness: Witness): Promise<Omit<DemoReport, 'kill'>> => {
  const told = await playStory(world, tell, witness);
  if (world.model !== null) tellOfModel(world.model);
  return told;
};

const tellOfKill = ({ events }: KillState): void => {
  for (const { text } of events) tell(text);
};

/** The story and one kill, without a page. True when both ended well. */
const playOnce = async (world: DemoWorld, session: DemoSession): Promise<boolean> => {
  const told = await play(world, session.add);
  const kill = await session.kill();
  tellOfKill(kill);
  if (wish.json) process.stdout.write(`${JSON.stringify({ ...told, kill: reportKill(kill) }, null, 2)}\n`);
  return told.rounds.at(-1)?.verdict === 'lgtm' && kill.phase === 'done' && isSaidOnce(kill);
};

/** A Redis of their own, so that the pictures show nothing of the story. */
const onConsoleRedis = async <Value>(use: (redisUrl: string) => Promise<Value>): Promise<Value> => {
  const redis = await startInnerRedis();
  try {
    return await use(redis.url);
  } finally {
    await redis.stop();
  }
};

const playPictures = async (world: DemoWorld, session: DemoSession, file: string): Promise<boolean> => {
  const reviews: ReviewSight[] = [];
  const told = await play(world, (step, at) => {
    session.add(step, at);
    if (step.review === 2) reviews.push({ ...at, title: TITLE, branch: BRANCH });
  });
  await session.kill();
  const [review] = reviews;
  if (review === undefined) throw new Error('the demo had no second review');
  const files = await takeAllPictures({ review, state: session.state() }, { file, browser: browser ?? '' });
  const folder = path.dirname(file);
  const ofConsole = await onConsoleRedis(async (redisUrl) =>
    takeConsolePictures({ redisUrl, folder, browser: browser ?? '' }),
  );
  tell(`The pictures are ${[...files, ...ofConsole].join(', ')}.`);
  return told.rounds.at(-1)?.verdict === 'lgtm';
};

const playOnPage = async (world: DemoWorld, session: DemoSession): Promise<boolean> => {
  // Listen before the address is printed: a program may react at once.
  const ended = interrupted();
  const { pagePort } = wish;
  const page = await serveDemo({
    ...(pagePort === undefined ? {} : { port: pagePort }),
    state: session.state,
    kill: () => void session.kill().then(tellOfKill),
  });
  try {
    tell(`Open ${page.url} in a browser: the story as it happens, one tab per step.`);
    const story = play(world, session.add);
    const told = await Promise.race([story, ended.then(() => null)]);
    if (told === null) {
      // Stopped in the middle: what still waits fails when everything is closed.
      story.catch(() => {});
      return false;
    }
    if (wish.json) process.stdout.write(`${JSON.stringify({ ...told, kill: null }, null, 2)}\n`);
    tell(`The story is over. ${page.url} stays up until you press Ctrl-C; its last tab kills the poster.`);
    await ended;
    return told.rounds.at(-1)?.verdict === 'lgtm';
  } finally {
    await page.close();
  }
};

const playAsked = async (): Promise<boolean> => {
  const { once, screenshot, forge, runner, port } = wish;
  const world = await startDemoWorld({
    tell,
    forge,
    runner,
    limitUsd: LIMIT_USD,
    ...(port === undefined ? {} : { port }),
  });
  const session = createSession(world);
  try {
    if (screenshot !== null) return await playPictures(world, session, screenshot);
    return await (once ? playOnce : playOnPage)(world, session);
  } finally {
    await world.close();
  }
};

const isTaken = (error: unknown): error is Error & { readonly port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;

const isGood = await playAsked().catch((error: unknown) => {
  if (!isTaken(error)) throw error;
  process.stderr.write(`port ${error.port} is in use: choose another with --port or --page-port, or none\n`);
  return false;
});
process.exit(isGood ? 0 : 1);
