import { type DecideInput, type Decision, order } from './decision.ts';
import type { Request } from './facts.ts';
import { callKey } from './heard.ts';
import type { Say } from './say.ts';

export type Answering = {
  readonly to: Pick<Request, 'noteId' | 'kind' | 'threadId'> | null;
  readonly say: Say;
};

/** Said where it was asked for, once per comment. */
export const answerTo = (board: Decision, { to, say }: Answering, { facts, freshRunId }: DecideInput): Decision =>
  facts.changeRequest === null || to === null
    ? board
    : order(
        board,
        {
          kind: 'answer',
          head: facts.changeRequest.head,
          note: callKey({ kind: to.kind, id: String(to.noteId) }),
          threadId: to.threadId ?? null,
          say,
          noticeId: freshRunId,
        },
        `a command is answered: ${say.kind}`,
      );
