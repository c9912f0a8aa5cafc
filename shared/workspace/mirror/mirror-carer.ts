/** Cares for the mirrors of a data folder in the background, one at a time. */
import { type CareResult, careForMirror, type CareWish } from './mirror-care.ts';

export type MirrorCarer = {
  /** Returns at once. While another mirror is cared for, nothing is begun: the next use of this one asks again. */
  readonly begin: (base: string, gitPath: string) => void;
  /** Resolves when nothing runs. */
  readonly idle: () => Promise<void>;
};

export type CarerSettings = Pick<CareWish, 'idleMs'>;

export type CarerDeps = {
  readonly nowMs: () => number;
  /** Ends what runs. */
  readonly signal: AbortSignal;
  readonly onCared: (base: string, result: Exclude<CareResult, { readonly kind: 'not_due' }>) => void;
  /** The mirror could not be packed; it is tried again later. */
  readonly onTrouble: (error: unknown, base: string) => void;
};

export const createMirrorCarer = ({ idleMs }: CarerSettings, deps: CarerDeps): MirrorCarer => {
  let running: Promise<void> | null = null;
  const care = async (base: string, gitPath: string): Promise<void> => {
    try {
      const result = await careForMirror({ base, gitPath, idleMs, nowMs: deps.nowMs() }, deps.signal);
      if (result.kind !== 'not_due') deps.onCared(base, result);
    } catch (error) {
      if (!deps.signal.aborted) deps.onTrouble(error, base);
    }
  };
  return {
    begin: (base, gitPath) => {
      if (running !== null || deps.signal.aborted) return;
      running = care(base, gitPath).finally(() => {
        running = null;
      });
    },
    idle: async () => running ?? undefined,
  };
};
