import { type DecideInput, type Decision, order } from './decision.ts';
import type { Request } from '../model/facts.ts';
import { callKey } from '../commands/seen-commands.ts';
import type { Say } from '../model/command-reply.ts';

export type Answering = {
  /** A comment, or the id of another event that asked: then it is said in the conversation. */
  readonly to: Pick<Request, 'noteId' | 'kind' | 'threadId'> | string | null;
  readonly say: Say;
};

/** Said where it was asked for, once per comment or event. */
export const answerTo = (board: Decision, { to, say }: Answering, { facts, freshRunId }: DecideInput): Decision =>
  facts.changeRequest === null || to === null
    ? board
    : order(
        board,
        {
          kind: 'answer',
          head: facts.changeRequest.head,
          ...(typeof to === 'string'
            ? { note: `event-${to.slice(0, 40)}`, threadId: null }
            : { note: callKey({ kind: to.kind, id: String(to.noteId) }), threadId: to.threadId ?? null }),
          say,
          noticeId: freshRunId,
        },
        `a command is answered: ${say.kind}`,
      );
