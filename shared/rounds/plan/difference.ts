/** Computes what the forge still lacks for a plan. Pure: the poster reads, compares, writes, and reads again. */
import { isDeepStrictEqual } from 'node:util';
import type { ForgeComment } from '../../forge/port-facts.ts';
import { type FindingMarker, type HandoffMarker, type MarkerPayload, MAX_CLOSED } from '../model/marker-payload.ts';
import { calledFor } from '../memory/handoffs.ts';
import { inputOfMarker } from '../memory/input-of-marker.ts';
import { inputKey } from '../model/input.ts';
import type { OwnMarker } from '../memory/own-markers.ts';
import type { PlannedClosure, PlannedInline, PlannedReply, PostPlan } from '../model/posting/post-plan.ts';

export type Closing = {
  readonly closure: PlannedClosure;
  readonly comment: ForgeComment;
  readonly marker: FindingMarker;
};

export type Difference = {
  readonly inline: readonly PlannedInline[];
  readonly replies: readonly { readonly reply: PlannedReply; readonly comment: ForgeComment | null }[];
  readonly closings: readonly Closing[];
  readonly summary: { readonly kind: 'create' } | { readonly kind: 'edit'; readonly comment: ForgeComment } | null;
  readonly notices: PostPlan['notices'];
  /** Hand-offs on the forge that need another entry. */
  readonly calls: readonly Call[];
};

export type Call = { readonly notice: PostPlan['notices'][number]; readonly comment: ForgeComment };

/** The poster's key has kind, content fingerprint and review, never the display number. All reviews share one summary. */
export const postingKey = (payload: MarkerPayload): string => {
  switch (payload.kind) {
    case 'summary':
      return 'summary';
    case 'finding':
      return `finding.${payload.fp}.${payload.review}`;
    case 'reply':
      // Between two reviews a thread may be answered several times, each time with a larger count.
      return `reply.${payload.fp}.${payload.review}${payload.note === undefined ? '' : `.${payload.count}`}`;
    case 'handoff':
      return `handoff.${payload.episode}`;
    case 'notice':
      return `notice.${payload.review}${payload.between === undefined ? '' : `.${payload.run}`}`;
    case 'answer':
      return `answer.${payload.note}`;
    case 'decline':
      return `decline.${payload.fp}.${payload.review}`;
    case 'fix':
      return `fix.${payload.number}`;
    case 'raw':
      return `raw.${payload.run}`;
    default:
      return payload satisfies never;
  }
};

/** True when the current account wrote the comment. Nobody can edit comments of our earlier accounts. */
export type IsMine = (comment: ForgeComment) => boolean;

const EVERY: IsMine = () => true;

/**
 * `gone`: keys that this plan has already posted. If somebody has deleted such a part since then, it is not posted
 * again.
 */
export const difference = (
  plan: PostPlan,
  own: readonly OwnMarker[],
  gone: ReadonlySet<string>,
  isMine = EVERY,
): Difference => {
  const present = new Set(own.map(({ payload }) => postingKey(payload)));
  const missing = (payload: MarkerPayload): boolean => {
    const key = postingKey(payload);
    return !present.has(key) && !gone.has(key);
  };
  return {
    inline: plan.inline.filter(({ marker }) => missing(marker)),
    replies: [...plan.replies, ...onlyTold(plan, own, isMine)]
      .filter(({ marker }) => missing(marker))
      .map((reply) => ({ reply, comment: commentOf(own, reply.marker) })),
    closings: plan.closures.flatMap((closure) => closingOf(closure, own)).filter(({ comment }) => isMine(comment)),
    summary: summaryDifference(
      plan,
      own.filter(({ comment }) => isMine(comment)),
    ),
    notices: plan.notices.filter(({ marker }) => missing(marker)),
    calls: plan.notices.flatMap((notice) => callOf(notice, own, isMine)),
  };
};

/** Returns the hand-off marker after a plan; null if the marker needs no change. */
export const handoffAfter = (before: HandoffMarker, planned: HandoffMarker): HandoffMarker | null => {
  const said = calledFor(before).map(({ input }) => inputKey(input));
  if (postingKey(before) !== postingKey(planned) || said.includes(inputKey(inputOfMarker(planned)))) return null;
  const { head, target, targetHead, mergeBase, reason } = before;
  const closed = [...(before.closed ?? []), { head, target, targetHead, mergeBase, reason }];
  return {
    ...planned,
    closed: closed.slice(-MAX_CLOSED),
    ...(before.called === undefined ? {} : { called: before.called }),
  };
};

const callOf = (notice: PostPlan['notices'][number], own: readonly OwnMarker[], isMine: IsMine): readonly Call[] => {
  const { marker } = notice;
  if (marker.kind !== 'handoff') return [];
  const [call] = own.flatMap(({ payload, comment }): readonly Call[] => {
    const after = payload.kind === 'handoff' && isMine(comment) ? handoffAfter(payload, marker) : null;
    return after === null ? [] : [{ notice: { ...notice, marker: after }, comment }];
  });
  return call === undefined ? [] : [call];
};

export const isDone = (rest: Difference): boolean =>
  [rest.inline, rest.replies, rest.closings, rest.notices, rest.calls].every((part) => part.length === 0) &&
  rest.summary === null;

const findingsOf = (own: readonly OwnMarker[], of: { readonly id: string; readonly fp: string }) =>
  own.flatMap(({ payload, comment }) =>
    payload.kind === 'finding' && payload.fp === of.fp && payload.id === of.id ? [{ payload, comment }] : [],
  );

const commentOf = (own: readonly OwnMarker[], of: { readonly id: string; readonly fp: string }): ForgeComment | null =>
  findingsOf(own, of)[0]?.comment ?? null;

/** If no comment of the finding can be edited, only a reply in the thread announces the closure. */
const isOnlyTold = (closure: PlannedClosure, own: readonly OwnMarker[], isMine: IsMine): boolean => {
  const closings = closingOf(closure, own);
  return closings.length > 0 && !closings.some(({ comment }) => isMine(comment));
};

const onlyTold = ({ closures }: PostPlan, own: readonly OwnMarker[], isMine: IsMine): readonly PlannedReply[] =>
  closures.filter((closure) => isOnlyTold(closure, own, isMine)).map(({ marker, text }) => ({ marker, text }));

/** If a finding has no comment, it is closed only in the summary. */
const closingOf = (closure: PlannedClosure, own: readonly OwnMarker[]): readonly Closing[] => {
  const { marker, state = 'resolved' } = closure;
  return findingsOf(own, marker)
    .filter(({ payload }) => payload.state !== 'dismissed' && payload.state !== state)
    .map(({ payload, comment }) => ({
      closure,
      comment,
      marker: { ...payload, state, count: marker.count, stance: marker.stance },
    }));
};

const summaryDifference = (plan: PostPlan, own: readonly OwnMarker[]): Difference['summary'] => {
  if (plan.summary === null) return null;
  const summary = own.find(({ payload }) => payload.kind === 'summary');
  if (summary === undefined) return { kind: 'create' };
  return isDeepStrictEqual(summary.payload, plan.summary.marker) ? null : { kind: 'edit', comment: summary.comment };
};

/**
 * Returns all but the oldest comment per key, because crashes and concurrent posters leave duplicates. Each account keeps
 * one summary. A comment with several markers is a duplicate if the keys of all of them are known.
 */
export const duplicatesOf = (own: readonly OwnMarker[], isMine = EVERY): readonly ForgeComment[] => {
  const seen = new Set<string>();
  const payloads = new Map<ForgeComment, MarkerPayload[]>();
  for (const { payload, comment } of own) payloads.set(comment, [...(payloads.get(comment) ?? []), payload]);
  return [...payloads].flatMap(([comment, all]) => {
    const known = all.every((payload) => seen.has(postingKey(payload)));
    for (const payload of all) if (payload.kind !== 'summary' || isMine(comment)) seen.add(postingKey(payload));
    return known && isMine(comment) ? [comment] : [];
  });
};
