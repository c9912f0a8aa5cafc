/** The two reasons for which a run stops itself while it waits for something: no time left, or nobody wants it any more. */
import type { AgentClock } from './model/clock.ts';

export type Watch = { readonly signal: AbortSignal; readonly end: () => void };

/** `leftMs` may be zero or less: then the signal is aborted from the start. */
export const wallWatch = (leftMs: number, clock: AgentClock): Watch & { readonly leftMs: () => number } => {
  const endsAtMs = clock.nowMs() + leftMs;
  const over = new AbortController();
  const ended = new AbortController();
  if (leftMs <= 0) over.abort();
  else {
    clock.sleep(leftMs, ended.signal).then(
      () => over.abort(),
      () => {
        // Ended before its time: nothing to stop.
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

/** Aborts when somebody else took over. A check that fails aborts with its error: it is not read as "still wanted". */
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
