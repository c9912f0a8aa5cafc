/** What a reader sees after each round without faults: the reference for all runs with faults. */
import { awaitVerdict, openStory, pushRound, readerView, ROUNDS, type Told } from './fleet-story.ts';
import type { Fleet } from './fleet.ts';
import type { FleetSim } from './fleet-forge.ts';

export type ReaderView = ReturnType<typeof readerView>;

export const playUndisturbed = async (fleet: Fleet<FleetSim>): Promise<readonly ReaderView[]> => {
  const views: ReaderView[] = [];
  let told: Told | null = null;
  for (let round = 1; round <= ROUNDS; round += 1) {
    told = await playRound(fleet, told, { branch: 'undisturbed', round });
    await awaitVerdict(fleet, told);
    views.push(readerView(fleet, told));
  }
  return views;
};

/** Opens the change request in round 1; pushes to it in later rounds. */
export const playRound = async (
  fleet: Fleet<FleetSim>,
  told: Told | null,
  { branch, round }: { readonly branch: string; readonly round: number },
): Promise<Told> => {
  if (told === null) return openStory(fleet, fleet.repos[0] ?? '', branch);
  await pushRound(fleet, told, round);
  return told;
};
