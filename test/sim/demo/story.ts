/** The main job, from the first push to `lgtm`, told as it happens. */
import type { FileMap } from '../forgejo/git.ts';
import { type DemoReport, type DemoRound, readRound } from './report.ts';
import { BASE, BROKEN, FIRST_FIX, SECOND_FIX, SEEDS } from './seeds.ts';
import { AUTHOR, type DemoWorld, OWNER, REPO } from './world.ts';

const BRANCH = 'discounts';
const ROUND_TIMEOUT_MS = 60_000;

export type Teller = (line: string) => void;

export const playStory = async (world: DemoWorld, tell: Teller): Promise<DemoReport> => {
  const { sim } = world;
  await sim.commitFiles({ repo: REPO, branch: 'main', files: BASE, message: 'Open the shop\n', author: OWNER });
  await push(world, BROKEN, 'Add discounts\n');
  const pull = await sim.openPullRequest({
    repo: REPO,
    head: BRANCH,
    title: 'Add discounts',
    body: 'Customers can enter a discount.',
    author: AUTHOR,
  });
  const url = `${sim.url}/${REPO}/pulls/${pull.number}`;
  tell(`${AUTHOR} opened a change request with ${SEEDS.length} seeded defects: ${url}`);
  const rounds = [await awaitRound(world, pull.number, 1, tell)];
  await push(world, FIRST_FIX, 'Fix the first half\n');
  tell(`${AUTHOR} pushed fixes for half of them.`);
  rounds.push(await awaitRound(world, pull.number, 2, tell));
  await push(world, SECOND_FIX, 'Fix the rest\n');
  tell(`${AUTHOR} pushed fixes for the rest.`);
  rounds.push(await awaitRound(world, pull.number, 3, tell));
  return { rounds };
};

const push = async ({ sim }: DemoWorld, files: FileMap, message: string): Promise<void> => {
  await sim.commitFiles({ repo: REPO, branch: BRANCH, files, message, author: AUTHOR });
};

/** A round is over when its status stands: it is written last. */
const awaitRound = async (world: DemoWorld, number: number, round: number, tell: Teller): Promise<DemoRound> => {
  const { sim } = world;
  await sim.until(() => {
    const state = sim.snapshot(REPO, number).headStatuses['fixpoint'];
    return state !== undefined && state !== 'pending';
  }, ROUND_TIMEOUT_MS);
  const result = readRound(world, number, round);
  tell(`Round ${round} of ${result.head.slice(0, 10)}: ${result.verdict}, ${result.comments.length} new comments.`);
  for (const { findingId, severity, path, line } of result.comments) tell(`  ${findingId} ${severity} ${path}:${line}`);
  return result;
};
