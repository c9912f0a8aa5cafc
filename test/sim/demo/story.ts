/** The demo's story, from the first push to the pass, reported step by step. */
import type { FileMap } from '../forgejo/git.ts';
import { AUTHOR, type DemoSight, OWNER } from './forge.ts';
import { EMPTY_LIST, MODEL_BROKEN, NEGATIVE_SUM, OBJECTIONS, WITH_LIMIT, WITH_SUGGESTION } from './model-seeds.ts';
import { type DemoReport, type DemoRound, readRound, reportStep } from './report.ts';
import { BASE, BROKEN, FIRST_FIX, SECOND_FIX, SEEDS } from './seeds.ts';
import { markedSummary, type Step, takeStep } from './step.ts';
import { STORY_STEPS, type StepName, type StepText } from './story-texts.ts';
import type { DemoWorld } from './world.ts';

export const BRANCH = 'discounts';
export const TITLE = 'Add discounts';
const STEP_TIMEOUT_MS = 60_000;

export type Teller = (line: string) => void;

export type WitnessedAt = {
  readonly number: number;
  readonly url: string;
  readonly sight: DemoSight;
  /** Of the whole change, as git prints it. */
  readonly diff: string;
};

/** Contract: called after each step. */
export type Witness = (step: Step, at: WitnessedAt) => void;

type Told = Omit<DemoReport, 'kill'>;

export const playStory = async (world: DemoWorld, tell: Teller, witness: Witness = () => {}): Promise<Told> => {
  const story = await begin(world, tell, witness);
  return world.model === null ? playWithRules(story) : playWithModel(story);
};

type Story = {
  readonly world: DemoWorld;
  readonly tell: Teller;
  readonly witness: Witness;
  readonly number: number;
  readonly url: string;
  readonly steps: Step[];
  readonly rounds: DemoRound[];
};

const begin = async (world: DemoWorld, tell: Teller, witness: Witness): Promise<Story> => {
  const { forge, model } = world;
  await forge.commit({ branch: 'main', files: BASE, message: 'Open the shop\n', author: OWNER });
  await push(world, model === null ? BROKEN : { ...BROKEN, ...MODEL_BROKEN }, 'Add discounts\n');
  const { number, url } = await forge.open({
    branch: BRANCH,
    title: TITLE,
    description: 'Customers can enter a discount.',
  });
  tell(`${AUTHOR} opened a change request with ${SEEDS.length + (model === null ? 0 : 2)} seeded defects: ${url}`);
  return { world, tell, witness, number, url, steps: [], rounds: [] };
};

const playWithRules = async (story: Story): Promise<Told> => {
  await reviewed(story, 'first-by-rules', async () => {});
  await reviewed(story, 'half-by-rules', async () => push(story.world, FIRST_FIX, 'Fix the first half\n'));
  await reviewed(story, 'pass', async () => push(story.world, SECOND_FIX, 'Fix the rest\n'));
  return toldIn(story);
};

const playWithModel = async (story: Story): Promise<Told> => {
  const { world } = story;
  await reviewed(story, 'first', async () => {});
  await answered(story, 'objections', async () => {
    await answer(story, EMPTY_LIST.title, OBJECTIONS.right);
    await answer(story, NEGATIVE_SUM.title, OBJECTIONS.wrong);
  });
  await reviewed(story, 'suggestion', async () =>
    push(world, { ...FIRST_FIX, ...WITH_SUGGESTION }, 'Apply the suggestion, fix the first half\n'),
  );
  await answered(story, 'handoff', async () => answer(story, NEGATIVE_SUM.title, OBJECTIONS.again));
  await reviewed(story, 'pass', async () => {
    await answer(story, NEGATIVE_SUM.title, OBJECTIONS.decision, OWNER);
    await world.calm();
    await push(world, { ...SECOND_FIX, ...WITH_LIMIT }, 'Limit the discount, fix the rest\n');
  });
  return toldIn(story);
};

const toldIn = ({ steps, rounds }: Story): Told => ({ rounds, steps: steps.map(reportStep) });

const push = async ({ forge }: DemoWorld, files: FileMap, message: string): Promise<void> => {
  await forge.commit({ branch: BRANCH, files, message, author: AUTHOR });
};

const answer = async ({ world, number }: Story, about: string, body: string, as = AUTHOR): Promise<void> =>
  world.forge.answer({ number, about, body, as });

const isFinal = ({ world, number }: Story): boolean => {
  const state = world.forge.look(number).headStatuses['fixpoint'];
  return state !== undefined && !['pending', 'running'].includes(state);
};

const reviewsIn = ({ world, number }: Story): number =>
  markedSummary(world.forge.look(number), world.markerSecret)?.review ?? 0;

/** Ends with a review of the newest head, whose status is written last. */
const reviewed = async (story: Story, name: StepName, act: () => Promise<void>): Promise<void> => {
  const { world, tell } = story;
  const review = story.rounds.length + 1;
  const begun = performance.now();
  await act();
  await world.forge.until(() => isFinal(story) && reviewsIn(story) === review, STEP_TIMEOUT_MS);
  await world.calm();
  const step = await finish(story, { ...STORY_STEPS[name], review, begun });
  const round = readRound({ ...step, review }, world.forge.look(story.number), world.markerSecret);
  story.rounds.push(round);
  tell(`Review ${review} of ${round.head.slice(0, 10)}: ${round.verdict}, ${round.comments.length} new comments.`);
  for (const { findingId, severity, path, line } of round.comments) tell(`  ${findingId} ${severity} ${path}:${line}`);
};

/** Ends when the bot has dealt with what people said. */
const answered = async (story: Story, name: StepName, act: () => Promise<void>): Promise<void> => {
  const begun = performance.now();
  await act();
  await story.world.calm();
  await finish(story, { ...STORY_STEPS[name], review: null, begun });
};

type Finishing = StepText & { readonly review: number | null; readonly begun: number };

const finish = async (story: Story, { name, what, say, review, begun }: Finishing): Promise<Step> => {
  const { world, number, url, steps, tell, witness } = story;
  const diff = await (await fetch(`${url}.diff`, { signal: AbortSignal.timeout(STEP_TIMEOUT_MS) })).text();
  const sight = world.forge.look(number);
  const step = takeStep({
    about: { name, what, review, seconds: (performance.now() - begun) / 1000 },
    sight,
    diff,
    markerSecret: world.markerSecret,
    before: steps.at(-1) ?? null,
  });
  steps.push(step);
  tell(say);
  witness(step, { number, url, sight, diff });
  return step;
};
