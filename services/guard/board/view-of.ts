import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { History, Thread } from '../../../shared/rounds/model/history.ts';
import { placeToday } from '../../../shared/rounds/model/history.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import {
  type ChangeRequestView,
  MAX_VIEW_REVIEWS,
  MAX_VIEW_TEXT,
  MAX_VIEW_THREADS,
  type ReviewView,
  type ThreadView,
} from '../../../shared/store/board/views.ts';
import { cutPoint } from '../../../shared/text/cut.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

type Seen = {
  readonly of: ChangeRequest;
  readonly facts: Facts;
  readonly state: GuardState;
  readonly atMs: number;
  readonly clean: (text: string) => string;
};

/** Null if the forge no longer shows the change request. */
export const viewOf = ({ of, facts, state, atMs, clean }: Seen): ChangeRequestView | null => {
  const { changeRequest, history } = facts;
  if (changeRequest === null) return null;
  const text = (value: string): string => cut(clean(value), MAX_VIEW_TEXT);
  const { state: openness, draft, head, webUrl, sourceBranch, targetBranch } = changeRequest;
  return {
    v: 1,
    changeRequest: of,
    atMs,
    title: text(changeRequest.title),
    author: text(changeRequest.author.login),
    sourceBranch: text(sourceBranch),
    targetBranch: text(targetBranch),
    state: openness,
    draft,
    head,
    webUrl: addressOf(webUrl) ?? '',
    summaryUrl: addressOf(history.summary?.comment.webUrl),
    verdict: history.verdict,
    waits: state.placed?.waits === undefined ? null : cut(clean(state.placed.waits), 1_000),
    reviews: reviewsOf(history),
    threads: history.threads.slice(-MAX_VIEW_THREADS).map((thread) => threadOf(thread, text)),
    moreThreads: Math.max(0, history.threads.length - MAX_VIEW_THREADS),
    handoffs: history.handoffs
      .slice(-50)
      .map(({ review, reason, atMs: handedMs }) => ({ review, reason: cut(clean(reason), 1_000), atMs: handedMs })),
    spent: history.spent,
  };
};

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, cutPoint(text, most))}…`;

const MAX_ADDRESS = 2_000;

const addressOf = (url: string | undefined): string | null =>
  url === undefined || url === '' || url.length > MAX_ADDRESS ? null : url;

const reviewsOf = ({ reviewed }: History): ReviewView[] =>
  reviewed
    .toSorted((one, other) => one.review - other.review)
    .slice(-MAX_VIEW_REVIEWS)
    .filter(({ review }) => review > 0)
    .map(({ review, head, verdict, complete, seenBy }) => ({
      review,
      head,
      verdict,
      complete: complete !== false,
      seenBy: seenBy ?? null,
    }));

const threadOf = (thread: Thread, text: (value: string) => string): ThreadView => {
  const { id, title, severity, blocking, state, stance, count, review, rule, comment } = thread;
  const { path, line } = placeToday(thread);
  return {
    id,
    title: text(title),
    severity,
    blocking,
    state,
    stance,
    count,
    review,
    path: text(path),
    line,
    rule: rule === null ? null : text(rule),
    webUrl: addressOf(comment?.webUrl),
  };
};
