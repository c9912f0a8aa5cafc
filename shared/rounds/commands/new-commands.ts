/**
 * Which comments an event tells of. A comment's event names it; that of a submitted review names nothing but who wrote
 * it; the sweep may have found anything that no event told of.
 */
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

/** Only what is said anew is a call: an edit that adds one is none. */
const wasEdited = ({ kind, createdAtMs, updatedAtMs }: ForgeComment): boolean =>
  kind === 'conversation' && updatedAtMs > createdAtMs;

/** Whether one of the events tells of this comment for the first time. */
export const isNewCommand = (comment: ForgeComment, events: readonly InboxEvent[], heard: SeenCommands): boolean => {
  const { author, kind } = comment;
  if (author === null || heard.keys.includes(commandKey(comment))) return false;
  const said = { noteId: Number(comment.id), kind, authorId: author.id };
  return events.some((event) => {
    if (event.source !== 'forge' && event.source !== 'sweep') return false;
    if (!tellsOf(event, said)) return false;
    // Only an event that names the comment is newer than any memory that was lost.
    if (event.source === 'forge' && event.kind === 'comment') return true;
    return !isOlderThan(heard, comment) && !(event.source === 'sweep' && wasEdited(comment));
  });
};
