import type { AgentClock } from './model/clock.ts';

export type Watch = { readonly signal: AbortSignal; readonly end: () => void };

export const wallWatch = (leftMs: number, clock: AgentClock): Watch & { readonly leftMs: () => number } => {
  const endsAtMs = clock.nowMs() + leftMs;
  const over = new AbortController();
  const ended = new AbortController();
  if (leftMs <= 0) over.abort();
  else {
    clock.sleep(leftMs, ended.signal).then(
      () => over.abort(),
      () => {
        // The watch ended before the time limit, so nothing has to be stopped.
      },
    );
  }
  return { signal: over.signal, end: () => ended.abort(), leftMs: () => Math.max(0, endsAtMs - clock.nowMs()) };
};

export type Supersession = {
  readonly isSuperseded: () => Promise<boolean>;
  readonly everyMs: number;
  readonly clock: AgentClock;
};

/** Aborts once the run is superseded. If the check fails, aborts with its error instead of assuming "not superseded". */
export const supersededWatch = ({
  isSuperseded,
  everyMs,
  clock,
}: Supersession): Watch & { readonly isTrue: () => boolean } => {
  const over = new AbortController();
  const ended = new AbortController();
  let superseded = false;
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(everyMs, ended.signal);
      superseded = await isSuperseded();
      if (superseded) return over.abort();
    }
  };
  watch().catch((error: unknown) => {
    if (!ended.signal.aborted) over.abort(error);
  });
  return { signal: over.signal, end: () => ended.abort(), isTrue: () => superseded };
};
