/** Parses the comments that address the bot, and checks whether their authors have permission. */
import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import type { Account, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { Facts, CommandRequest, ReviewCommand } from '../../shared/rounds/model/facts.ts';
import type { UserCommand } from '../../shared/rounds/model/user-command.ts';
import { parseUserCommand } from '../../shared/rounds/commands/parse-command.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { KnownForge } from './deps.ts';

export type AuthorizedCommands = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly calls: readonly ForgeComment[];
  readonly comments: readonly ForgeComment[];
  readonly spokenOf: Listener;
};

export type Listener = (comment: ForgeComment) => UserCommand | null;

/** Creates a parser that parses each comment once. */
export const createListener = (mention: string): Listener => {
  const known = new Map<ForgeComment, UserCommand | null>();
  return (comment) => {
    const before = known.get(comment);
    if (before !== undefined) return before;
    const spoken = parseUserCommand(comment.body, mention);
    known.set(comment, spoken);
    return spoken;
  };
};

type Call = Omit<ReviewCommand, 'command' | 'full' | 'instructions' | 'only'> & { readonly spoken: UserCommand };

/** The permission is checked again for every request, because it may have changed since the event. */
export const authorizeCommands = async (
  asking: AuthorizedCommands,
  signal: AbortSignal,
): Promise<Pick<Facts, 'requests' | 'orders'>> => {
  const { forge, of, calls } = asking;
  const asked = new Map<number, Promise<boolean>>();
  const mayCommand = async (actor: Account): Promise<boolean> => {
    const known =
      asked.get(actor.id) ?? mayTrigger(forge, { actor, action: 'review', projectId: of.projectId }, signal);
    asked.set(actor.id, known);
    return known;
  };
  const judged = await Promise.all(
    calls.flatMap((comment) =>
      comment.author === null ? [] : [toCall(comment, comment.author, { asking, may: mayCommand(comment.author) })],
    ),
  );
  return sortCalls(judged);
};

type Judging = { readonly asking: AuthorizedCommands; readonly may: Promise<boolean> };

const toCall = async (comment: ForgeComment, author: Account, { asking, may }: Judging): Promise<Call> => {
  const threadId = threadOf(comment, asking);
  return {
    noteId: Number(comment.id),
    kind: comment.kind,
    authorId: author.id,
    ...(threadId === null ? {} : { threadId }),
    spoken: asking.spokenOf(comment) ?? { kind: 'text', instructions: '' },
    allowed: await may,
  };
};

/** Returns the command's thread if the bot has commented in it or if the command started it at a line. Null means the conversation. */
const threadOf = (call: ForgeComment, { comments, forge }: AuthorizedCommands): string | null => {
  const { threadId } = call;
  if (threadId === null) return null;
  const inside = comments.filter((each) => each.threadId === threadId);
  const isOurs = inside.some(({ author }) => author !== null && forge.botIds.has(author.id));
  return isOurs || (call.kind === 'inline' && isFirst(call, inside)) ? threadId : null;
};

const isFirst = ({ id }: ForgeComment, inside: readonly ForgeComment[]): boolean =>
  inside.every((each) => Number(each.id) >= Number(id));

/** A call that is not another command is a review request; its text becomes the instructions. */
const sortCalls = (calls: readonly Call[]): Pick<Facts, 'requests' | 'orders'> => ({
  requests: calls.flatMap(({ spoken, ...call }): ReviewCommand[] => {
    if (spoken.kind !== 'review' && spoken.kind !== 'text') return [];
    const { instructions } = spoken;
    const full = spoken.kind === 'review' && spoken.full;
    const only = spoken.kind === 'review' ? spoken.only : undefined;
    return [
      {
        ...call,
        command: 'review',
        ...(full ? { full } : {}),
        ...(instructions === '' ? {} : { instructions }),
        ...(only === undefined ? {} : { only }),
      },
    ];
  }),
  orders: calls.flatMap(({ spoken, ...call }): CommandRequest[] =>
    spoken.kind === 'review' || spoken.kind === 'text' || spoken.kind === 'fix' ? [] : [{ ...call, spoken }],
  ),
});
