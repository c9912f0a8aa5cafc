/** The demo's story, from the first push to `lgtm`, reported step by step. */
import type { FileMap } from '../forgejo/git.ts';
import { type DemoReport, type DemoRound, readReview } from './report.ts';
import { BASE, BROKEN, FIRST_FIX, SECOND_FIX, SEEDS } from './seeds.ts';
import { AUTHOR, OWNER } from './forge.ts';
import type { DemoWorld } from './world.ts';

export const BRANCH = 'discounts';
export const TITLE = 'Add discounts';
const ROUND_TIMEOUT_MS = 60_000;

export type Teller = (line: string) => void;

/** Contract: called after each round, while the forge still shows it. */
export type Witness = (round: number, at: { readonly number: number; readonly url: string }) => Promise<void>;

export const playStory = async (world: DemoWorld, tell: Teller, witness?: Witness): Promise<DemoReport> => {
  const { forge } = world;
  await forge.commit({ branch: 'main', files: BASE, message: 'Open the shop\n', author: OWNER });
  await push(world, BROKEN, 'Add discounts\n');
  const { number, url } = await forge.open({
    branch: BRANCH,
    title: TITLE,
    description: 'Customers can enter a discount.',
  });
  tell(`${AUTHOR} opened a change request with ${SEEDS.length} seeded defects: ${url}`);
  const play = async (review: number): Promise<DemoRound> => {
    const result = await awaitReview(world, number, review, tell);
    await witness?.(review, { number, url });
    return result;
  };
  const rounds = [await play(1)];
  await push(world, FIRST_FIX, 'Fix the first half\n');
  tell(`${AUTHOR} pushed fixes for half of them.`);
  rounds.push(await play(2));
  await push(world, SECOND_FIX, 'Fix the rest\n');
  tell(`${AUTHOR} pushed fixes for the rest.`);
  rounds.push(await play(3));
  return { rounds };
};

const push = async ({ forge }: DemoWorld, files: FileMap, message: string): Promise<void> => {
  await forge.commit({ branch: BRANCH, files, message, author: AUTHOR });
};

/** A round ends with its status, which is written last. */
const awaitReview = async (world: DemoWorld, number: number, review: number, tell: Teller): Promise<DemoRound> => {
  const { forge } = world;
  await forge.until(() => {
    const state = forge.look(number).headStatuses['fixpoint'];
    return state !== undefined && !['pending', 'running'].includes(state);
  }, ROUND_TIMEOUT_MS);
  const result = readReview(world, number, review);
  tell(`Review ${review} of ${result.head.slice(0, 10)}: ${result.verdict}, ${result.comments.length} new comments.`);
  for (const { findingId, severity, path, line } of result.comments) tell(`  ${findingId} ${severity} ${path}:${line}`);
  return result;
};
