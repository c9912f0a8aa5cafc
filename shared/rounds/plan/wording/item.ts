/** A finding as the comments describe it: either a finding of this review or the thread of an earlier one. */
import type { Accepted, GateResult } from '../../model/gate-result.ts';
import { bySeverity, isUnverified, stillBlocks } from '../../model/blocking.ts';
import type { CheckedFinding, ReviewDraft } from '../../model/draft.ts';
import { placeToday, type Thread } from '../../model/history.ts';
import type { FindingState } from '../../model/marker-payload.ts';
import { readFinding } from '../../memory/finding-comment.ts';
import { type FindingId, findingNumber } from '../../../vocabulary/ids.ts';
import type { Place, Severity } from '../../../vocabulary/finding.ts';

export type Item = {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly title: string;
  /** The current place of the code. */
  readonly place: Place;
  readonly state: FindingState;
  readonly blocks: boolean;
  /** A short remark on anything special; empty if there is nothing. */
  readonly note: string;
  /** The reviewer's text; empty if it is no longer known. */
  readonly body: string;
  /** The suggested code; undefined or null if there is none. */
  readonly suggestion?: string | null | undefined;
};

const NOTES: Readonly<Partial<Record<FindingState, string>>> = {
  unverified: 'not verified',
  vetoed: 'waits for a person',
  escalated: 'waits for a person',
  dismissed: 'dismissed',
};

const noteOf = (thread: Thread, raisedAgain: boolean): string =>
  [
    NOTES[thread.state] ?? '',
    raisedAgain ? 'raised again' : '',
    thread.state === 'resolved' && thread.again === true ? 'open again' : '',
    thread.listed === true && thread.state === 'open' ? 'no thread' : '',
    thread.outside === true && thread.state === 'open' ? 'no longer in this change' : '',
  ]
    .filter((word) => word !== '')
    .join(', ');

export const itemOf = (thread: Thread, raisedAgain = false): Item => {
  const { body, suggestion } = readFinding(thread.comment);
  return {
    id: thread.id,
    severity: thread.severity,
    title: thread.title,
    place: placeToday(thread),
    state: thread.state === 'resolved' && thread.again === true ? 'open' : thread.state,
    blocks: stillBlocks(thread),
    note: noteOf(thread, raisedAgain),
    body,
    suggestion,
  };
};

export const itemsOf = (threads: readonly Thread[]): readonly Item[] => threads.map((thread) => itemOf(thread));

const newItem = (
  { id, finding }: { readonly id: FindingId; readonly finding: CheckedFinding },
  rest: Pick<Item, 'state' | 'blocks' | 'note'>,
): Item => {
  const { severity, title, body, suggestion, path, side, startLine, line } = finding.claim;
  return { id, severity, title, place: { path, side, startLine, line }, body, suggestion, ...rest };
};

const acceptedItem = (accepted: Accepted): Item =>
  newItem(accepted, {
    state: 'open',
    blocks: accepted.blocking,
    note: accepted.ownThread ? '' : 'no thread',
  });

/** Returns all findings after the review, ordered by id. `known`: the threads with their comments, which `gated` may lack. */
export const itemsAfter = (
  gated: GateResult,
  { moved }: Pick<ReviewDraft, 'moved'>,
  known: readonly Thread[],
): readonly Item[] => {
  const places = new Map(moved.map(({ findingId, place }) => [findingId, place]));
  const comments = new Map(known.map(({ id, comment }) => [id, comment]));
  const now = (thread: Thread): Thread => {
    const place = places.get(thread.id) ?? null;
    const comment = thread.comment ?? comments.get(thread.id) ?? null;
    return { ...thread, comment, ...(place === null ? {} : { today: place }) };
  };
  const again = (thread: Thread): Thread => (gated.reopened.includes(thread.id) ? { ...thread, again: true } : thread);
  return [
    ...gated.handled.map(({ thread, next }) => itemOf(now({ ...thread, ...next }))),
    ...[...gated.left.map(({ thread }) => thread), ...gated.standing].map((thread) =>
      itemOf(again(now(thread)), gated.raisedAgain.includes(thread.id)),
    ),
    ...gated.accepted.map(acceptedItem),
    ...gated.unverified.map((each) => newItem(each, { state: 'unverified', blocks: false, note: 'not verified' })),
  ].toSorted((one, other) => findingNumber(one.id) - findingNumber(other.id));
};

export const isOpenItem = ({ state }: Pick<Item, 'state'>): boolean => state !== 'resolved' && state !== 'dismissed';

export const waitsForPerson = ({ state }: Pick<Item, 'state'>): boolean => state === 'vetoed' || state === 'escalated';

/** True if the item does not have to be fixed before merging. */
export const isSuggestion = (item: Item): boolean => isOpenItem(item) && !item.blocks && !isUnverified(item);

/** Sorts blocking items first, then by severity. */
export const graverItemFirst = (one: Item, other: Item): number =>
  Number(other.blocks) - Number(one.blocks) || bySeverity(one.severity, other.severity);
