import type { PausedProject } from '../../../shared/store/board/pauses.ts';
import type { Sight } from '../access/sight.ts';
import { listTroubles, type Troubles } from '../../../shared/overview/troubles.ts';
import type { PageSource } from './source.ts';

/** Outages and misconfigurations are those of the installation and name no project. */
export const readTroubles = async ({ redis, keys, sight, nowMs }: PageSource): Promise<Troubles> => {
  const troubles = await listTroubles({ redis, keys, nowMs: nowMs() });
  return { ...troubles, pauses: troubles.pauses.filter(sight.sees).map((pause) => shownTo(sight, pause)) };
};

/** Only operators read who of them paused a project, and from which address. */
export const shownTo = ({ isWhole }: Sight, pause: PausedProject): PausedProject =>
  isWhole ? pause : { ...pause, by: 'an operator' };
