/** Reviews the parts of a large change, several at a time. Each part has its own conversation, which any execution continues. */
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { ReviewPart } from '../parts/review-parts.ts';
import type { ConversationResult } from './run-conversation.ts';

type Ended = ConversationResult & { readonly kind: 'ended' };

/** `talked` is null for a part that no execution began, because its lane had no time left. */
export type EndedPart = { readonly part: ReviewPart; readonly talked: Ended | null };

export type PartsRun = {
  readonly parts: readonly ReviewPart[];
  /** Parts whose conversation was begun by an earlier execution. */
  readonly begun: ReadonlySet<ReviewPart>;
  /** Number of parts that are reviewed at the same time. */
  readonly lanes: number;
  /** Active time of the run. Lanes run in parallel, so each lane has the full time for its parts. */
  readonly wallMs: number;
  /** Contract: continues the conversation of the part if it was begun. */
  readonly talk: (part: ReviewPart, wallMs: number, signal: AbortSignal) => Promise<ConversationResult>;
};

export type PartsResult =
  | { readonly kind: 'ended'; readonly parts: readonly EndedPart[]; readonly wallMs: number }
  /** Verifiers of at least one part are running. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'superseded' };

type Lane = { readonly ended: readonly EndedPart[]; readonly wallMs: number; readonly waits: boolean };

/**
 * The parts of a lane share its time. A part that was begun is always continued, because its earlier calls are already
 * paid for. After an error or a newer head, no further part is begun; the parts in progress end first.
 * @throws the first error of a part; the replies of all parts are in their transcripts.
 */
export const runParts = async (run: PartsRun, signal: AbortSignal): Promise<PartsResult> => {
  const stop = { isSet: false };
  const lanes = Array.from({ length: run.lanes }, (_, lane) => run.parts.filter((_, at) => at % run.lanes === lane));
  const settled = await Promise.allSettled(lanes.map(async (parts) => runLane(run, { parts, stop }, signal)));
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const done = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const ended = done.flatMap((lane) => (lane === null ? [] : [lane]));
  if (ended.length < done.length) return { kind: 'superseded' };
  if (ended.some(({ waits }) => waits)) return { kind: 'waits' };
  const inOrder = new Map(ended.flatMap((lane) => lane.ended.map((each) => [each.part, each] as const)));
  return {
    kind: 'ended',
    parts: run.parts.flatMap((part) => inOrder.get(part) ?? []),
    wallMs: Math.max(0, ...ended.map(({ wallMs }) => wallMs)),
  };
};

type Row = { readonly parts: readonly ReviewPart[]; readonly stop: { isSet: boolean } };

/** A part that waits does not delay the next one. Null if there is a newer head. */
const runLane = async (run: PartsRun, { parts, stop }: Row, signal: AbortSignal): Promise<Lane | null> => {
  const ended: EndedPart[] = [];
  let [wallMs, waits] = [0, false];
  try {
    for (const part of parts) {
      if (stop.isSet) return null;
      const leftMs = Math.max(0, run.wallMs - wallMs);
      const talked = leftMs === 0 && !run.begun.has(part) ? null : await run.talk(part, leftMs, signal);
      if (talked?.kind === 'superseded') {
        stop.isSet = true;
        return null;
      }
      if (talked?.kind === 'waits') {
        waits = true;
        wallMs += talked.wallMs;
        continue;
      }
      wallMs += (talked?.spent ?? NOTHING_SPENT).wallMs;
      ended.push({ part, talked });
    }
  } catch (error) {
    stop.isSet = true;
    throw error;
  }
  return { ended, wallMs, waits };
};
