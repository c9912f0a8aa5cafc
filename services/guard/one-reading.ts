/** Reads a change request once per lease, and shares the reading with the poster. */
import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { HandedReading, Readings } from '../../shared/store/readings.ts';
import type { GuardForge } from './deps.ts';

type Reads = GuardForge['read'];

/** `handed`: what the poster has just read from the forge. */
export const readOnce = (read: Reads, of: ChangeRequest, handed: HandedReading | null): Reads => {
  const isOf = (asked: ChangeRequest): boolean => changeRequestKey(asked) === changeRequestKey(of);
  let facts: Promise<ChangeRequestFacts | null> | null = handed && Promise.resolve(handed.facts);
  let comments: Promise<readonly ForgeComment[]> | null = handed && Promise.resolve(handed.comments);
  return {
    ...read,
    fetchChangeRequest: (asked, signal) => {
      if (!isOf(asked)) return read.fetchChangeRequest(asked, signal);
      facts ??= read.fetchChangeRequest(of, signal);
      return facts;
    },
    fetchComments: (asked, signal) => {
      if (!isOf(asked)) return read.fetchComments(asked, signal);
      comments ??= read.fetchComments(of, signal);
      return comments;
    },
  };
};

/** True if all events are reports of the poster and one of them is about this reading. After any other event guard must read again. */
export const isReportedBy = (events: readonly InboxEvent[], { planId }: Pick<HandedReading, 'planId'>): boolean =>
  events.every(({ source }) => source === 'post') &&
  events.some((event) => event.source === 'post' && event.planId === planId);

/** The poster needs no comments to post these kinds of plan. */
const WITHOUT_COMMENTS: ReadonlySet<PostPlan['kind']> = new Set(['acknowledge', 'status', 'outage']);

/** Hands what guard reads to the poster. Contract: call it before guard reads; `once` returns what guard has read. */
export const beginLook = async (
  readings: Pick<Readings, 'beginLook' | 'handLook'>,
  of: ChangeRequest,
): Promise<(once: Reads, plan: PostPlan, signal: AbortSignal) => Promise<void>> => {
  const look = await readings.beginLook(of);
  return async (once, { kind, planId }, signal) => {
    if (WITHOUT_COMMENTS.has(kind)) return;
    const facts = await once.fetchChangeRequest(of, signal);
    if (facts === null) return;
    const comments = await once.fetchComments(of, signal);
    await readings.handLook(of, look, { planId, facts, comments: [...comments] });
  };
};
