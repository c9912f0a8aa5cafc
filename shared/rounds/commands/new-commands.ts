/** Finds the comments that an event is about: an event of a submitted review names only the author, and a sweep names nothing. */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { ForgeEvent, InboxEvent, SweepEvent } from '../model/events.ts';
import type { ReviewCommand } from '../model/facts.ts';
import { commandKey, isOlderThan } from './seen-commands.ts';
import type { SeenCommands } from '../model/state.ts';

type Said = Pick<ReviewCommand, 'noteId' | 'kind' | 'authorId'>;

const tellsOf = (event: ForgeEvent | SweepEvent, { noteId, kind, authorId }: Said): boolean => {
  if (event.source === 'sweep') return true;
  if (event.kind === 'comment') return kind !== 'review_body' && noteId === event.noteId;
  if (event.kind !== 'human_review') return false;
  return kind !== 'conversation' && (event.actorId === null || authorId === event.actorId);
};

export const commandsOf = (
  event: ForgeEvent | SweepEvent,
  requests: readonly ReviewCommand[],
): readonly ReviewCommand[] => requests.filter((request) => tellsOf(event, request));

/** Only new comments contain commands: an edit of a comment adds no command. */
const wasEdited = ({ kind, createdAtMs, updatedAtMs }: ForgeComment): boolean =>
  kind === 'conversation' && updatedAtMs > createdAtMs;

/** True if one of the events is the first to report this comment. */
export const isNewCommand = (comment: ForgeComment, events: readonly InboxEvent[], heard: SeenCommands): boolean => {
  const { author, kind } = comment;
  if (author === null || heard.keys.includes(commandKey(comment))) return false;
  const said = { noteId: Number(comment.id), kind, authorId: author.id };
  return events.some((event) => {
    if (event.source !== 'forge' && event.source !== 'sweep') return false;
    if (!tellsOf(event, said)) return false;
    // After Redis was lost, only an event that names the comment proves that the comment is new.
    if (event.source === 'forge' && event.kind === 'comment') return true;
    return !isOlderThan(heard, comment) && !(event.source === 'sweep' && wasEdited(comment));
  });
};
