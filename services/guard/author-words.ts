/** Adds an external author's messages to the brief: as comments, and as replies in the threads that they concern. */
import { resolveSha } from '../../shared/protocol/limits.ts';
import type { ReviewAddressed } from '../../shared/protocol/message.ts';
import type { HandoffPacket } from '../../shared/protocol/handoff-packet.ts';
import type { Brief, BriefThread } from '../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { OpenRequest } from './tell-author.ts';

const MAX_CHARACTERS = 4_000;

const cut = (text: string): string => text.slice(0, MAX_CHARACTERS);

/** Adds the messages to the brief. Messages whose commit is not among `heads`, the heads of this change request, are ignored. */
export const withAuthorWords = (
  brief: Brief,
  accounts: readonly ReviewAddressed[],
  heads: readonly CommitSha[],
): Brief => {
  const known = accounts.filter(({ body }) => resolveSha(body.commit_sha, heads).kind === 'resolved');
  if (known.length === 0) return brief;
  return {
    ...brief,
    comments: [...brief.comments, ...known.map(asComment)],
    openThreads: brief.openThreads.map((thread) => {
      const replies = known.flatMap((account) => asReply(account, thread));
      if (replies.length === 0) return thread;
      return { ...thread, replies: [...thread.replies, ...replies], answered: true };
    }),
  };
};

/** Adds the requests and their hand-off packets as comments, which the reviewer treats as untrusted data. */
export const withRequests = (brief: Brief, requests: readonly OpenRequest[]): Brief => ({
  ...brief,
  comments: [...brief.comments, ...requests.flatMap(wordsOfRequest)],
});

const wordsOfRequest = ({ request, handoff }: OpenRequest): readonly Brief['comments'][number][] => {
  const { from: author, created_at_utc: at, body } = request;
  const comment = (text: string) => ({ author, atMs: Date.parse(at), text: cut(text), where: null, resolved: false });
  const summary = comment(`Summary of the change: ${body.diff_summary}`);
  if (body.handoff_ref === undefined) return [summary];
  const told = handoff === null ? 'The request came without its packet.' : handoffText(handoff);
  return [summary, comment(`This review follows the hand-off ${body.handoff_ref}.\n${told}`)];
};

const handoffText = ({ source_agent: source, intent, context_bundle: bundle, ...packet }: HandoffPacket): string =>
  [
    `From ${source}: ${intent}`,
    ...packet.definition_of_done.map((done) => `Done when: ${done}`),
    ...bundle.decisions_made.map(({ decision }) => `Decided: ${decision}`),
    ...bundle.blockers_hit.map(({ blocker }) => `Blocked by: ${blocker}`),
    ...bundle.suggested_next_steps.map((step) => `Next: ${step}`),
    ...bundle.files_touched.map(({ path, rationale }) => `Touched ${path}: ${rationale}`),
  ].join('\n');

const asComment = ({ from, created_at_utc: at, body }: ReviewAddressed): Brief['comments'][number] => {
  const files = body.touched_files ?? [];
  const touched = files.length === 0 ? '' : `\n\nTouched: ${files.join(', ')}`;
  const text = `Addressed the feedback of round ${body.round} in ${body.commit_sha}: ${body.changes_summary}${touched}`;
  return { author: from, atMs: Date.parse(at), text: cut(text), where: null, resolved: false };
};

/** A message with finding ids declines all other findings. A message without ids says nothing about individual findings. */
const asReply = ({ from, body }: ReviewAddressed, { id, review }: BriefThread): BriefThread['replies'] => {
  const ids = body.addressed_finding_ids;
  if (ids === undefined || review > body.round) return [];
  const text = ids.includes(id)
    ? `Addressed in ${body.commit_sha}.`
    : `Not addressed in ${body.commit_sha}: ${body.changes_summary}`;
  return [{ author: from, text: cut(text) }];
};
