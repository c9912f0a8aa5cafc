/** Follows a command: its phase, what a model does in that phase, and the time since the last change. */
import type { Work } from './work.ts';

/** Contract: must not throw. */
export type ProgressView = {
  readonly step: (text: string) => void;
  readonly notice: (text: string) => void;
  /** Called after each change, and every second while nothing changes. */
  readonly work: (work: Work | null, silentS: number) => void;
  /** Shows for how long nothing has changed. */
  readonly silent: (text: string) => void;
  readonly close: () => Promise<void>;
};

/** Contract: cheap; null while no model works. */
export type LookAtWork = () => Promise<Work | null>;

export type ReviewWatch = {
  readonly step: (text: string) => void;
  readonly notice: (text: string) => void;
  readonly follow: (look: LookAtWork | null) => void;
  /** Polls once. The owner calls this about twice a second. */
  readonly tick: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const SILENT_AFTER_MS = 10_000;
const SAY_AGAIN_MS = 60_000;

const WAITED_FOR: Readonly<Record<Work['waitsFor'], string>> = {
  model: 'the model has not answered',
  tools: "the model's tools have not finished",
  explorers: 'the explorers have not answered',
  verifying: 'the verifiers have not answered',
  ended: 'nothing has happened',
};

export const createWatch = (view: ProgressView, nowMs: () => number): ReviewWatch => {
  let phase = 'connecting';
  let look: LookAtWork | null = null;
  let seen = '';
  let changedMs = nowMs();
  let sayAtMs = changedMs + SILENT_AFTER_MS;
  const changed = (): void => {
    changedMs = nowMs();
    sayAtMs = changedMs + SILENT_AFTER_MS;
  };
  return {
    step: (text) => {
      phase = text;
      changed();
      view.step(text);
    },
    notice: view.notice,
    follow: (next) => {
      look = next;
      seen = '';
    },
    tick: async () => {
      const work = look === null ? null : await lookSafely(look);
      const now = JSON.stringify(work);
      if (work !== null && now !== seen) {
        seen = now;
        changed();
      }
      const silentMs = nowMs() - changedMs;
      view.work(work, silentMs >= SILENT_AFTER_MS ? Math.floor(silentMs / 1_000) : 0);
      if (nowMs() < sayAtMs) return;
      sayAtMs = nowMs() + SAY_AGAIN_MS;
      const what = work === null ? 'nothing has happened' : WAITED_FOR[work.waitsFor];
      view.silent(`${phase}: ${what} for ${Math.floor(silentMs / 1_000)} s`);
    },
    close: view.close,
  };
};

/** If the conversation cannot be read at the moment, the review continues. */
const lookSafely = async (look: LookAtWork): Promise<Work | null> => {
  try {
    return await look();
  } catch {
    return null;
  }
};
