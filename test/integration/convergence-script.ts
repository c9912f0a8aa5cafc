/** The steps of the author in the convergence script. Every step ends when no job is active. */
import { handsOn } from '../support/fleet-forge.ts';
import { answerIn, type At, findingIn, lastSummary, type Marked, resolveSilently, say } from './convergence-hands.ts';
import { BASE, filesOf, SEEDED, SEEDS, seedAt, type Shop, withWords } from './convergence-shop.ts';
import { AUTHOR, type ConvergenceStage } from './convergence-stage.ts';
import { advanceMain, commit, mergeMain, tipOf } from './head-deeds.ts';

export const BRANCH = 'seeds';

export type Play = At & {
  readonly stage: ConvergenceStage;
  shop: Shop;
  readonly shops: Map<string, Shop>;
  /** How often the author merges the target branch in the step that does so. */
  readonly merges: number;
  /** Findings that waited for a human when the last head was reviewed; kept here, because the summary may be lost. */
  waiting: readonly string[];
};

export type Step = {
  readonly name: string;
  readonly act: (play: Play) => Promise<void>;
  /** Names of seeds that become defects in this step, for the first time or again. */
  readonly plants?: readonly string[];
  /** True when the step must lead to a review. */
  readonly review: boolean;
};

/** Merges are slow and all alike, so tests about other subjects use few. */
const FEW_MERGES = 2;

/** The author left these as they are, and said so. */
export const DECLINED: readonly string[] = ['save', 'token'];

const WAITING: ReadonlySet<string | undefined> = new Set([undefined, 'pending', 'running']);
const VERDICT_MS = 120_000;

export const statusOf = ({ sim, repo, number }: At): string | undefined =>
  handsOn(sim).look({ repo, number }).headStatuses['fixpoint'];

export const settle = async (play: Play): Promise<void> => {
  await play.sim
    .until(() => !WAITING.has(statusOf(play)), VERDICT_MS)
    .catch((cause: unknown) => {
      throw new Error(`no verdict for head ${play.shops.size}`, { cause });
    });
  await play.stage.calm();
  const ledger = lastSummary(play)?.marker.ledger;
  if (ledger === undefined) return;
  play.waiting = ledger.filter(({ state }) => ['open', 'vetoed', 'escalated'].includes(state)).map(({ id }) => id);
};

const remember = async (play: Play): Promise<void> => {
  play.shops.set(await tipOf(play, BRANCH), play.shop);
  await settle(play);
};

const push = async (play: Play, shop: Shop, message: string): Promise<void> => {
  play.shop = shop;
  await commit(play, { branch: BRANCH, files: filesOf(shop), message: `${message}\n` });
  await remember(play);
};

/** The thread of a seed, at its current place. */
const about = (play: Play, name: string): Marked<'finding'> =>
  findingIn(play, ({ marker }) => seedAt(play.shops.get(marker.head) ?? play.shop, marker)?.name === name);

const answer = async (play: Play, name: string, body: string): Promise<void> => {
  await answerIn(play, about(play, name), body);
  await play.stage.calm();
};

/** The replacement that the bot suggests in a comment. */
const suggestionIn = (body: string): string => {
  const [, inside] = /```(?:suggestion[^\n]*)?\n([\s\S]*?)\n```/.exec(body) ?? [];
  if (inside === undefined) throw new Error('the bot suggests nothing');
  return inside;
};

const applySuggestions = async (play: Play): Promise<void> => {
  const files = { ...filesOf(play.shop) };
  for (const name of ['tls', 'read']) {
    const { body, marker } = about(play, name);
    const lines = (files[marker.path] ?? '').split('\n');
    lines[marker.line - 1] = suggestionIn(body);
    files[marker.path] = lines.join('\n');
  }
  const good = withWords(play.shop, 'good', ['tls', 'read']);
  if (JSON.stringify(filesOf(good)) !== JSON.stringify(files)) throw new Error('a suggestion says something else');
  await push(play, good, 'Apply suggestions');
};

const mergeOften = async (play: Play): Promise<void> => {
  for (let time = 1; time <= play.merges; time += 1) {
    await advanceMain(play, { 'news.md': `# News\n\nIssue ${time}\n` });
    await mergeMain(play, BRANCH);
    await remember(play);
  }
};

const rebase = async (play: Play): Promise<void> => {
  await advanceMain(play, { 'about.md': '# About the shop\n' });
  await commit(play, { branch: BRANCH, files: filesOf(play.shop), message: 'Rebased\n', onto: 'main' });
  await remember(play);
};

const open = async (play: Play): Promise<void> => {
  await commit(play, { branch: BRANCH, files: filesOf(SEEDED), message: 'Seed\n' });
  play.shops.set(await tipOf(play, BRANCH), SEEDED);
  const { sim, repo, number } = play;
  const opened = await handsOn(sim).open({ repo, branch: BRANCH, title: 'Change the shop', author: AUTHOR });
  if (opened !== number) throw new Error(`opened as ${opened}`);
  await settle(play);
};

const fixed = (play: Play, names: readonly string[]): Shop => withWords(play.shop, 'good', names);

/** A person with permission dismisses the findings that are left. */
const dismissSettled = async (play: Play): Promise<void> => {
  for (const id of play.waiting) {
    await say(play, `@${play.stage.botName()} dismiss ${id} because this is how it has to be.`);
    await play.stage.calm();
  }
  await settle(play);
};

export const STEPS: readonly Step[] = [
  { name: 'opens with 20 mistakes', act: open, plants: SEEDS.map(({ name }) => name), review: true },
  {
    name: 'fixes some, and two of them half',
    act: (play) => {
      const good = fixed(play, ['sum', 'pay', 'find', 'fetch', 'key', 'hint', 'ping']);
      return push(play, withWords(good, 'partly', ['run', 'clean']), 'Fix some');
    },
    review: true,
  },
  {
    name: 'claims a fix that is none',
    act: (play) => answer(play, 'load', 'Fixed in the last commit.'),
    review: false,
  },
  {
    name: 'declines two',
    act: async (play) => {
      for (const name of DECLINED) await answer(play, name, "This is by design, I won't fix it.");
    },
    review: false,
  },
  {
    name: 'resolves a thread silently',
    act: async (play) => {
      await resolveSilently(play, about(play, 'put'));
      await play.stage.calm();
    },
    review: false,
  },
  { name: 'rebases', act: rebase, review: false },
  { name: 'merges the target branch again and again', act: mergeOften, review: false },
  { name: 'applies suggestions', act: applySuggestions, review: true },
  {
    name: 'brings a fixed mistake back',
    act: (play) => push(play, withWords(fixed(play, ['note', 'run']), 'bad', ['sum']), 'Go back'),
    plants: ['sum'],
    review: true,
  },
  {
    name: 'moves a guard to the wrong function',
    act: (play) =>
      push(
        play,
        { ...withWords(fixed(play, ['clean', 'leave', 'mode']), 'bad', ['pay']), guardsList: true },
        'Move it',
      ),
    plants: ['pay'],
    review: true,
  },
  {
    name: 'fixes all but what was declined',
    act: (play) => {
      const rest = SEEDS.map(({ name }) => name).filter((name) => !DECLINED.includes(name));
      return push(play, { ...fixed(play, rest), guardsList: false }, 'Fix the rest');
    },
    review: true,
  },
  { name: 'has what is left dismissed', act: dismissSettled, review: false },
];

export const startPlay = async (stage: ConvergenceStage, merges = FEW_MERGES): Promise<Play> => {
  const { sim, repo, markerSecret } = stage;
  await advanceMain(stage, BASE);
  return { stage, sim, repo, markerSecret, number: 1, shop: SEEDED, shops: new Map(), merges, waiting: [] };
};
