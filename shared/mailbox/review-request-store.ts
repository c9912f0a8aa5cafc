/** Review requests to external reviewers: the newest request per change request, and the one answer to it. */
import type { Redis } from 'ioredis';
import {
  PendingReview,
  judgeAnswer,
  type AnswerJudgement,
  type PendingAnswerText,
} from '../protocol/pending-review.ts';
import type { ChangeRequest, RunId } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import { DeskContendedError } from './errors.ts';
import {
  KEEP_MESSAGES,
  KEEP_S,
  type MailboxMessage,
  placesOf,
  projectOfBox,
  PUT_MESSAGE,
  TRIES,
} from './mailbox-message.ts';

export type StoredRequest = Pick<PendingReview, 'reviewer' | 'request' | 'packet' | 'askedAtMs' | 'expiresAtMs'> & {
  /** The hand-off that `request` refers to. Null when it refers to no hand-off. */
  readonly handoff: MailboxMessage['handoff'];
};

export type ReviewRequestStore = {
  /**
   * Contract: sends the request of a run once. A repeated call for the same run returns the sent request and its state. A
   * request of another run replaces the previous request. Rejects when it is not certain that the request was sent.
   */
  ask(of: ChangeRequest, request: StoredRequest): Promise<PendingReview>;
  /** Returns null when there is no request, or when the newest request belongs to another run. */
  find(of: ChangeRequest, runId: RunId): Promise<PendingReview | null>;
  /** Contract: `accepted` and `repeated` both mean that the answer is stored. */
  answer(of: ChangeRequest, said: PendingAnswerText): Promise<AnswerJudgement>;
  /** Stops waiting for the answer. Contract: idempotent. A request of another run is not changed. */
  end(of: ChangeRequest, runId: RunId): Promise<void>;
};

/**
 * KEYS: request; the places of the recipient, or none. ARGV: value that was read (empty if none), new value, time to live,
 * message, messages to keep, message id, project. Returns 0 if the value has changed; the caller decides again.
 */
const REPLACE = `${PUT_MESSAGE}
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
if #KEYS > 1 then put_letter(KEYS[2], KEYS[3], KEYS[4], ARGV[7], ARGV[4], ARGV[6], ARGV[3], ARGV[5]) end
return 1`;

type Read = { readonly raw: string; readonly asked: PendingReview | null };

/** `message` is set only when it is sent to the reviewer in the same step. */
type Change<Result> = {
  readonly result: Result;
  readonly next: PendingReview | null;
  readonly message?: MailboxMessage;
};

export const createReviewRequestStore = (redis: Redis, keys: Keys, nowMs: () => number): ReviewRequestStore => {
  const read = async (of: ChangeRequest): Promise<Read> => {
    const raw = (await redis.get(keys.ofChangeRequest(of, 'asked'))) ?? '';
    const parsed = raw === '' ? null : PendingReview.safeParse(JSON.parse(raw));
    return { raw, asked: parsed?.data ?? null };
  };

  const replace = async (of: ChangeRequest, raw: string, { next, message }: Change<unknown>): Promise<boolean> => {
    if (next === null) return true;
    const places = message === undefined ? [] : placesOf(keys, { ...of, name: next.reviewer });
    const names = [keys.ofChangeRequest(of, 'asked'), ...places];
    const sent = [JSON.stringify(message ?? null), KEEP_MESSAGES, message?.message.id ?? '', projectOfBox(of)];
    const args = [raw, JSON.stringify(next), KEEP_S, ...sent];
    return Number(await redis.eval(REPLACE, names.length, ...names, ...args)) === 1;
  };

  const update = async <Result>(
    of: ChangeRequest,
    change: (asked: PendingReview | null) => Change<Result>,
  ): Promise<Result> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { raw, asked } = await read(of);
      const changed = change(asked);
      if (await replace(of, raw, changed)) return changed.result;
    }
    throw new DeskContendedError();
  };

  return {
    ask: async (of, request) => update(of, (before) => putRequest(before, request)),
    find: async (of, runId) => {
      const { asked } = await read(of);
      return asked?.packet.run === runId ? asked : null;
    },
    answer: async (of, said) =>
      update(of, (asked) => {
        const result = judgeAnswer(asked, said, nowMs());
        return {
          result,
          next: result.kind === 'accepted' && asked !== null ? { ...asked, answer: result.answer } : null,
        };
      }),
    end: async (of, runId) =>
      update<void>(of, (asked) => {
        const isOpen = asked?.packet.run === runId && !asked.ended;
        return { result: undefined, next: isOpen ? { ...asked, ended: true } : null };
      }),
  };
};

const putRequest = (before: PendingReview | null, { handoff, ...request }: StoredRequest): Change<PendingReview> => {
  if (before?.packet.run === request.packet.run) return { result: before, next: null };
  const mustName = before !== null && (before.mustName || before.answer === null);
  const next: PendingReview = { v: 1, ...request, answer: null, ended: false, mustName };
  return { result: next, next, message: { message: request.request, packet: null, review: request.packet, handoff } };
};
