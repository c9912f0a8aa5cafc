/** What was asked of reviewers outside: per change request the newest request, and the one answer that it takes. */
import type { Redis } from 'ioredis';
import { Asked, judgeAnswer, type AnswerJudgement, type Said } from '../protocol/pending-review.ts';
import type { ChangeRequest, RunId } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import { DeskContendedError } from './errors.ts';
import type { Box } from './message-store.ts';
import { KEEP_LETTERS, KEEP_S, type Letter, PUT_LETTER, TRIES } from './mailbox-message.ts';

export type Request = Pick<Asked, 'reviewer' | 'request' | 'packet' | 'askedAtMs' | 'expiresAtMs'> & {
  /** Of the hand-off that `request` names; null where it names none. */
  readonly handoff: Letter['handoff'];
};

export type Desk = {
  /**
   * Contract: sends the request of a run once; whoever asks again for the same run gets what was sent, and what has
   * become of it. A request of another run ends the one before. Rejects when it is not certain that it was sent.
   */
  ask(of: ChangeRequest, request: Request): Promise<Asked>;
  /** Null when the newest request is another run's, or there is none. */
  find(of: ChangeRequest, runId: RunId): Promise<Asked | null>;
  /** Contract: `accepted` and `repeated` both mean that the answer is kept. */
  answer(of: ChangeRequest, said: Said): Promise<AnswerJudgement>;
  /** Nobody waits for the answer any more. Contract: idempotent; changes no request of another run. */
  end(of: ChangeRequest, runId: RunId): Promise<void>;
};

/**
 * KEYS: desk; stream of the recipient and that of its ids, or none. ARGV: what was read (empty for nothing), what is to
 * stand, ttl, letter, letters kept, id of the letter. Answers 0 when somebody was faster: then it is decided again.
 */
const REPLACE = `${PUT_LETTER}
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
if #KEYS > 1 then put_letter(KEYS[2], KEYS[3], ARGV[4], ARGV[6], ARGV[3], ARGV[5]) end
return 1`;

type Read = { readonly raw: string; readonly asked: Asked | null };

/** `letter`: goes to the reviewer in the same step. */
type Change<Result> = { readonly result: Result; readonly next: Asked | null; readonly letter?: Letter };

export const createDesk = (redis: Redis, keys: Keys, nowMs: () => number): Desk => {
  const read = async (of: ChangeRequest): Promise<Read> => {
    const raw = (await redis.get(keys.ofChangeRequest(of, 'asked'))) ?? '';
    const parsed = raw === '' ? null : Asked.safeParse(JSON.parse(raw));
    return { raw, asked: parsed?.data ?? null };
  };

  const replace = async (of: ChangeRequest, raw: string, { next, letter }: Change<unknown>): Promise<boolean> => {
    if (next === null) return true;
    const names = [keys.ofChangeRequest(of, 'asked'), ...streamsOf(keys, { ...of, name: next.reviewer }, letter)];
    const sent = [JSON.stringify(letter ?? null), KEEP_LETTERS, letter?.message.id ?? ''];
    const args = [raw, JSON.stringify(next), KEEP_S, ...sent];
    return Number(await redis.eval(REPLACE, names.length, ...names, ...args)) === 1;
  };

  const update = async <Result>(
    of: ChangeRequest,
    change: (asked: Asked | null) => Change<Result>,
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

const streamsOf = (keys: Keys, { forge, projectId, name }: Box, letter: Letter | undefined): readonly string[] => {
  const box = { forge, projectId, name };
  return letter === undefined ? [] : [keys.mailbox(box), keys.mailboxIds(box)];
};

const putRequest = (before: Asked | null, { handoff, ...request }: Request): Change<Asked> => {
  if (before?.packet.run === request.packet.run) return { result: before, next: null };
  const mustName = before !== null && (before.mustName || before.answer === null);
  const next: Asked = { v: 1, ...request, answer: null, ended: false, mustName };
  return { result: next, next, letter: { message: request.request, packet: null, review: request.packet, handoff } };
};
