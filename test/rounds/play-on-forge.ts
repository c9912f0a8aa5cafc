/** Plays change requests on the simulated forge with all services, and reads what the bot shows after each push. */
import type { EvalRoundsCase } from '../../shared/eval/rounds-case.ts';
import type { SeenReview } from '../../shared/eval/result.ts';
import type { FindingState } from '../../shared/rounds/model/marker-payload.ts';
import { open, push, summaryOf, verdictOf } from '../support/story.ts';
import type { StoryWorld } from '../support/story-world.ts';

const STANDING: ReadonlySet<FindingState> = new Set<FindingState>(['open', 'vetoed', 'escalated']);

const seen = (world: StoryWorld, number: number): SeenReview => {
  const { verdict, ledger } = summaryOf(world, number);
  return {
    verdict: verdict ?? 'inconclusive',
    notes: [],
    threads: ledger
      .filter(({ state }) => state !== 'unverified')
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, fp, path, line, state, severity, title }) => {
        return { id: `${id} ${fp}`, path, line, isOpen: STANDING.has(state), severity, title };
      }),
  };
};

/** The push that opens the change request comes first. */
export const playOnForge = async (
  world: StoryWorld,
  { id, pushes }: Pick<EvalRoundsCase, 'id' | 'pushes'>,
): Promise<readonly SeenReview[]> => {
  const reviews: SeenReview[] = [];
  let number: number | null = null;
  for (const { files } of pushes) {
    const written = Object.fromEntries(files.map(({ path, text }) => [path, text]));
    if (number === null) number = await open(world, { branch: id, files: written });
    else await push(world, id, written);
    await world.calm();
    await verdictOf(world, number);
    reviews.push(seen(world, number));
  }
  return reviews;
};
