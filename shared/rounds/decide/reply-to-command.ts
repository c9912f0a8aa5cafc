import { createHash } from 'node:crypto';
import { type DecideInput, type Decision, emit } from './decision.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { commandKey } from '../commands/seen-commands.ts';
import type { CommandReply } from '../model/command-reply.ts';

export type Answering = {
  /** The comment with the command, or the id of another event: then the answer is posted in the conversation. */
  readonly to: Pick<ReviewCommand, 'noteId' | 'kind' | 'threadId'> | string | null;
  readonly say: CommandReply;
};

/** Ids of events may be long hashes. This one is part of a plan's id, which is also a key in Redis and the id of a job. */
const noteOfEvent = (id: string): string => `event-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;

/** Answers a command in the place where it was written, once per comment or event. */
export const replyToCommand = (
  decision: Decision,
  { to, say }: Answering,
  { facts, freshRunId }: DecideInput,
): Decision =>
  facts.changeRequest === null || to === null
    ? decision
    : emit(
        decision,
        {
          kind: 'answer',
          head: facts.changeRequest.head,
          ...(typeof to === 'string'
            ? { note: noteOfEvent(to), threadId: null }
            : { note: commandKey({ kind: to.kind, id: String(to.noteId) }), threadId: to.threadId ?? null }),
          say,
          noticeId: freshRunId,
        },
        `a command is answered: ${say.kind}`,
      );
