import type { Redis } from 'ioredis';
import { listMistakes, mistakeText } from '../outage/mistakes.ts';
import { listOutages, outageText } from '../outage/outages.ts';
import { createPauses, type PausedProject } from '../store/board/pauses.ts';
import type { Keys } from '../store/keys.ts';

export type Troubles = {
  readonly outages: readonly string[];
  /** What an operator has to correct, in words. */
  readonly misconfigurations: readonly string[];
  readonly pauses: readonly PausedProject[];
};

export type TroubleSource = { readonly redis: Redis; readonly keys: Keys; readonly nowMs: number };

export const listTroubles = async ({ redis, keys, nowMs }: TroubleSource): Promise<Troubles> => ({
  outages: (await listOutages(redis, keys, nowMs)).map(outageText),
  misconfigurations: (await listMistakes(redis, keys, nowMs)).map(mistakeText),
  pauses: await createPauses(redis, keys).all(),
});
