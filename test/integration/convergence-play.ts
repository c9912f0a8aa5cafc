/** Plays the whole convergence script once per stage. */
import { claimsOf, type Disturbance, handedOff, readersView } from './convergence-disturb.ts';
import { judge, lookBefore, type Row } from './convergence-judge.ts';
import { type Play, type Step, STEPS } from './convergence-script.ts';

/** The disturbance after each step; steps count from 0. */
export type Disturbed = ReadonlyMap<number, Disturbance>;

const playJudged = async (play: Play, disturbed: Disturbed): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  const lives = new Map<string, number>();
  for (const [index, step] of STEPS.entries()) {
    const before = lookBefore(play, rows.at(-1) ?? null);
    for (const name of step.plants ?? []) lives.set(name, (lives.get(name) ?? 0) + 1);
    await step.act(play);
    rows.push(judge({ play, before, lives, step }));
    await disturbed.get(index)?.act(play);
  }
  return rows;
};

export type Played = {
  readonly rows: readonly Row[];
  /** Faults of all steps; empty when everything is correct. */
  readonly faults: readonly string[];
  readonly view: ReturnType<typeof readersView>;
  readonly claims: ReturnType<typeof claimsOf>;
};

export const playScript = async (play: Play, disturbed: Disturbed = new Map()): Promise<Played> => {
  const rows = await playJudged(play, disturbed);
  const faults = rows.flatMap((row) => row.faults.map((fault) => `${row.step}: ${fault}`));
  return { rows, faults, view: readersView(play), claims: claimsOf(play) };
};

export type HandedOver = ReturnType<typeof handedOff> & {
  readonly headsSince: readonly string[];
};

const actAll = async (play: Play, steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step.act(play);
};

/** Without checks after each step: a bot that does not recognise its own comments posts nothing but a hand-off. */
export const playHandedOff = async (
  play: Play,
  { after, disturbance }: { readonly after: number; readonly disturbance: Disturbance },
): Promise<HandedOver> => {
  await actAll(play, STEPS.slice(0, after + 1));
  const known = new Set(play.shops.keys());
  await disturbance.act(play);
  await actAll(play, STEPS.slice(after + 1));
  return { ...handedOff(play), headsSince: [...play.shops.keys()].filter((head) => !known.has(head)) };
};
