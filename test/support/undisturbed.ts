/** What a reader sees after each round without faults: the reference for all runs with faults. */
import { awaitVerdict, openStory, pushReview, readerView, ROUNDS, type Told } from './fleet-story.ts';
import type { Fleet } from './fleet.ts';
import type { FleetSim } from './fleet-forge.ts';

export type ReaderView = ReturnType<typeof readerView>;

export const playUndisturbed = async (fleet: Fleet<FleetSim>): Promise<readonly ReaderView[]> => {
  const views: ReaderView[] = [];
  let told: Told | null = null;
  for (let review = 1; review <= ROUNDS; review += 1) {
    told = await playReview(fleet, told, { branch: 'undisturbed', review });
    await awaitVerdict(fleet, told);
    views.push(readerView(fleet, told));
  }
  return views;
};

/** Opens the change request in round 1; pushes to it in later rounds. */
export const playReview = async (
  fleet: Fleet<FleetSim>,
  told: Told | null,
  { branch, review }: { readonly branch: string; readonly review: number },
): Promise<Told> => {
  if (told === null) return openStory(fleet, fleet.repos[0] ?? '', branch);
  await pushReview(fleet, told, review);
  return told;
};
