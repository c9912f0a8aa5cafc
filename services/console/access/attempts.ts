/** Limits how often one address may present a wrong token. Bounded in memory. */
export type Attempts = {
  /** True if the address has to wait, also with the right token. */
  readonly isBlocked: (address: string) => boolean;
  readonly failed: (address: string) => void;
};

export type AttemptLimits = { readonly most: number; readonly windowMs: number; readonly addresses: number };

const DEFAULTS: AttemptLimits = { most: 10, windowMs: 60_000, addresses: 1_000 };

type Window = { readonly untilMs: number; readonly count: number };

export const createAttempts = (nowMs: () => number, limits: AttemptLimits = DEFAULTS): Attempts => {
  const windows = new Map<string, Window>();
  const current = (address: string): Window | null => {
    const known = windows.get(address);
    return known !== undefined && known.untilMs > nowMs() ? known : null;
  };
  return {
    isBlocked: (address) => (current(address)?.count ?? 0) >= limits.most,
    failed: (address) => {
      const { untilMs, count } = current(address) ?? { untilMs: nowMs() + limits.windowMs, count: 0 };
      // Deleted first, so that the map is ordered by the last failure.
      windows.delete(address);
      windows.set(address, { untilMs, count: count + 1 });
      const [oldest] = windows.keys();
      if (windows.size > limits.addresses && oldest !== undefined) windows.delete(oldest);
    },
  };
};
