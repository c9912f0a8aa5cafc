/** What a conversation of the reviewer needs around it, in memory: a store, a clock that stands still, a plain model. */
import type { Model, ModelReply, ModelRequest } from '../../../shared/agent/model/model.ts';
import type { ConversationStart, ConversationInput, Transcript } from '../../../shared/agent/transcript.ts';
import { TranscriptConflictError, type Transcripts } from '../../../shared/store/transcripts.ts';
import { type VirtualClock, virtualClock } from '../../shared/agent/virtual-clock.ts';

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Keeps the contract of the real one, which its own test holds. */
export const memoryTranscripts = (): Transcripts => {
  const kept = new Map<string, { readonly start: ConversationStart; readonly inputs: ConversationInput[] }>();
  return {
    load: async (id): Promise<Transcript | null> => {
      const one = kept.get(id);
      return one === undefined ? null : { v: 1, start: one.start, inputs: [...one.inputs] };
    },
    begin: async (id, start) => {
      const known = kept.get(id);
      if (known === undefined) kept.set(id, { start, inputs: [] });
      else if (!same(known.start, start)) throw new TranscriptConflictError(id, 'start');
    },
    append: async (id, index, input) => {
      const inputs = kept.get(id)?.inputs;
      if (inputs === undefined || index > inputs.length) throw new Error('appended out of order');
      if (index === inputs.length) inputs.push(input);
      else if (!same(inputs[index], input)) throw new TranscriptConflictError(id, `${index}`);
    },
  };
};

/** The watch for newer heads waits for `look`; retries pass at once, limits when time is moved. */
export type StillClock = VirtualClock & { readonly look: () => void };

const WATCH_MS = 2_000;

export const stillClock = (): StillClock => {
  // So that no retry waits exactly as long as the watch.
  const clock = virtualClock(() => 0.37);
  let watchers: (() => void)[] = [];
  return {
    ...clock,
    sleep: async (ms, signal) => {
      if (ms !== WATCH_MS) return clock.sleep(ms, signal);
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        watchers.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    look: () => {
      const woken = watchers;
      watchers = [];
      for (const wake of woken) wake();
    },
  };
};

/** Answers by the number of answers before: a resumed run hears what the lost one heard. */
export const plainModel = (
  steps: readonly ((request: ModelRequest, signal: AbortSignal) => ModelReply | Promise<ModelReply>)[],
): Model & { readonly requests: readonly ModelRequest[] } => {
  const requests: ModelRequest[] = [];
  return {
    requests,
    respond: async (request, signal) => {
      requests.push(request);
      const step = steps[request.messages.filter(({ role }) => role === 'assistant').length];
      if (step === undefined) throw new Error('nobody expected this call');
      return step(request, signal);
    },
  };
};

/** Resolves never; rejects when the signal aborts. `begun` tells when somebody waits. */
export const hangsUntilAborted =
  (begun: () => void) =>
  async (_request: ModelRequest, signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      begun();
    });
