import type { PosterDeps } from '../../../services/poster/deps.ts';

/** Nobody else writes any status, and every change request counts. */
export const FREE_PLACE: Pick<PosterDeps, 'underPlace' | 'shared' | 'countsTarget'> = {
  underPlace: async (_place, signal, work) => ({ result: await work(async () => {}, signal) }),
  shared: { mark: async () => {}, has: async () => false },
  countsTarget: () => true,
};

export const EMPTY_LIST = { open: [], last: true, total: 0, tag: '' } as const;
