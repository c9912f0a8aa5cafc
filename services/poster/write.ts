/** Writes one difference, in the order in which a reader should get to know it. The status is not part of it. */
import type { Metrics } from '../../shared/metrics.ts';
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import { InlineRefusedError } from '../../shared/forge/errors.ts';
import { type Call, type Closing, type Difference, postingKey } from '../../shared/rounds/plan/difference.ts';
import type { ForgeVerdict } from '../../shared/vocabulary/forge-verdict.ts';
import type { PlannedInline, PlannedReply, PostPlan } from '../../shared/rounds/model/post-plan.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import type { Composer } from './compose.ts';
import type { PosterForge } from './deps.ts';

export type Writing = {
  readonly forge: PosterForge;
  readonly plan: PostPlan;
  /** What a review with comments carries, where the forge lets it. */
  readonly verdict: ForgeVerdict | null;
  readonly composer: Composer;
  readonly metrics: Pick<Metrics, 'postedComments'>;
  readonly checkpoint: (step: string) => void;
  readonly signal: AbortSignal;
  /** Every marker in it is ours: an unpublished review of ours may be thrown away. */
  readonly isOurs: (body: string) => boolean;
  /** Whom a part calls, by its posting key. */
  readonly called: ReadonlyMap<string, readonly string[]>;
  /** What was read before this pass of writing. */
  readonly seen: readonly ForgeComment[];
  /** Fingerprints of findings that the forge refused inline: they go into the summary. Grows while writing. */
  readonly refused: Set<string>;
  /** Keys whose write the forge acknowledged: a list that lags behind must not make us say them again. */
  readonly written: Set<string>;
};

export const writeDifference = async (writing: Writing, rest: Difference): Promise<void> => {
  const { checkpoint } = writing;
  checkpoint('before-post');
  await writeInline(
    writing,
    rest.inline.filter(({ marker }) => !writing.refused.has(marker.fp)),
  );
  checkpoint('after-inline');
  await writeReplies(writing, rest.replies);
  await writeClosings(writing, rest.closings);
  checkpoint('before-summary');
  await writeSummary(writing, rest.summary);
  checkpoint('after-summary');
  await writeNotices(writing, rest.notices);
  await editCalls(writing, rest.calls);
};

/** One review, one notification. A refused position must not cost the others: the refused one goes to the summary. */
const writeInline = async (writing: Writing, wanted: readonly PlannedInline[]): Promise<void> => {
  let rest = wanted;
  while (rest.length > 0) {
    const refusal = await submit(writing, rest, rest === wanted ? writing.seen : undefined);
    if (refusal === null) return;
    if (refusal.index === null) return writeOneByOne(writing, rest);
    const bad = rest[refusal.index];
    if (bad === undefined) throw refusal;
    writing.refused.add(bad.marker.fp);
    rest = rest.filter((each) => each !== bad);
  }
};

const writeOneByOne = async (writing: Writing, wanted: readonly PlannedInline[]): Promise<void> => {
  for (const each of wanted) {
    const refusal = await submit(writing, [each]);
    if (refusal !== null) writing.refused.add(each.marker.fp);
  }
};

/** `seen`: only while nothing has been written since that reading. */
const submit = async (
  writing: Writing,
  wanted: readonly PlannedInline[],
  seen?: readonly ForgeComment[],
): Promise<InlineRefusedError | null> => {
  const { forge, plan, composer, signal, metrics } = writing;
  const comments = wanted.map((each) => ({ position: each.position, body: composer.inline(each) }));
  const words = comments.length === 1 ? 'One comment' : `${comments.length} comments`;
  // The review's own body carries the marker of its first finding, so that an empty leftover is known as ours.
  const [first] = wanted;
  if (first === undefined) return null;
  const body = composer.plain(`${words} on the changed lines; the summary has the verdict.`, reviewBodyMarker(first));
  const heads = { head: plan.head, base: plan.base ?? plan.targetHead, targetHead: plan.targetHead };
  const review = {
    ...heads,
    body,
    comments,
    isOurs: writing.isOurs,
    ...(seen === undefined ? {} : { seen }),
    ...(writing.verdict === null ? {} : { verdict: writing.verdict }),
  };
  try {
    const carried = await forge.write.submitReview(plan.changeRequest, review, signal);
    if (carried !== null) writing.written.add(givenKey(carried));
    for (const { marker } of wanted) writing.written.add(postingKey(marker));
    metrics.postedComments.inc({ kind: 'inline' }, comments.length);
    return null;
  } catch (error) {
    if (error instanceof InlineRefusedError) return error;
    throw error;
  }
};

/** Says whose review it is; no key of its own, so it never counts as a posted part. */
const reviewBodyMarker = ({ marker }: PlannedInline): PostPlan['notices'][number]['marker'] => ({
  kind: 'answer',
  note: `review.${marker.run}`,
  cr: marker.cr,
  round: marker.round,
  attempt: marker.attempt,
  run: marker.run,
});

/** Where the forge has no replies, or the thread's comment is gone, the answer stands in the conversation by its id. */
const writeReplies = async (writing: Writing, replies: Difference['replies']): Promise<void> => {
  const { forge, plan, signal, metrics } = writing;
  for (const { reply, comment } of replies) {
    const threadId = comment?.threadId ?? null;
    if (isResolution(reply.marker) && comment !== null) await resolveThread(writing, comment);
    if (forge.threads !== null && threadId !== null) {
      await forge.threads.reply(plan.changeRequest, threadId, replyBody(writing, reply), signal);
    } else {
      // A closure names its finding by itself.
      const text = isResolution(reply.marker) ? reply.text : `**${reply.marker.id}:** ${reply.text}`;
      await forge.write.createComment(plan.changeRequest, replyBody(writing, { ...reply, text }), signal);
    }
    writing.written.add(postingKey(reply.marker));
    metrics.postedComments.inc({ kind: 'reply' });
    writing.checkpoint('after-reply');
  }
};

const replyBody = ({ composer, called }: Writing, reply: PlannedReply): PostableBody =>
  composer.calling(reply, called.get(postingKey(reply.marker)) ?? []);

const isResolution = (marker: PlannedReply['marker']): boolean =>
  marker.kind === 'reply' && marker.action === 'resolve';

const resolveThread = async ({ forge, plan, signal }: Writing, comment: ForgeComment): Promise<void> => {
  const { threadId, resolved } = comment;
  if (forge.resolving === null || threadId === null || resolved === true) return;
  await forge.resolving.resolveThread(plan.changeRequest, threadId, signal);
};

/** The thread is resolved first: a comment that says so over an open thread would be a lie after a crash in between. */
const writeClosings = async (writing: Writing, closings: Difference['closings']): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const closing of closings) {
    await resolveThread(writing, closing.comment);
    await forge.write.editComment(plan.changeRequest, closing.comment, composer.closed(closing), signal);
    writing.written.add(closingKey(closing));
    writing.checkpoint('after-closing');
  }
};

/** A verdict that the forge acknowledged is not given again, whatever its lists say yet. */
export const givenKey = (verdict: ForgeVerdict): string => `verdict.${verdict}`;

/** Closures are edits: they have a key only while this plan is being posted. */
export const closingKey = ({ closure }: Closing): string => `closing.${closure.marker.fp}.${closure.marker.round}`;

const SUMMARY_WRITTEN = 'summary.written';

export const isSummaryWritten = ({ written }: Pick<Writing, 'written'>): boolean => written.has(SUMMARY_WRITTEN);

const writeSummary = async (writing: Writing, change: Difference['summary']): Promise<void> => {
  const { forge, plan, composer, signal, metrics } = writing;
  if (change === null || plan.summary === null) return;
  const body = composer.plain(withRefused(writing, plan.summary.text), plan.summary.marker);
  if (change.kind === 'edit') {
    await forge.write.editComment(plan.changeRequest, change.comment, body, signal);
  } else {
    await forge.write.createComment(plan.changeRequest, body, signal);
    metrics.postedComments.inc({ kind: 'summary' });
  }
  writing.written.add(SUMMARY_WRITTEN);
};

const withRefused = ({ plan, refused }: Writing, text: string): string => {
  const lost = plan.inline.filter(({ marker }) => refused.has(marker.fp));
  if (lost.length === 0) return text;
  const items = lost.map(
    (each) => `- \`${each.marker.path}:${each.marker.line}\` ${each.text.replaceAll('\n', '\n  ')}`,
  );
  return `${text}\n\n#### Additional notes (not in diff)\n\nThe forge refused these as inline comments.\n\n${items.join('\n')}`;
};

/** An edit has a key only while its plan is being posted. */
export const callKey = ({ notice: { marker } }: Call): string =>
  marker.kind === 'handoff' ? `${postingKey(marker)}.${marker.head}` : postingKey(marker);

/** Who was called is not called again: one comment says for each head why nothing comes of it. */
const editCalls = async (writing: Writing, calls: readonly Call[]): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const call of calls) {
    await forge.write.editComment(plan.changeRequest, call.comment, composer.notice(call.notice, []), signal);
    writing.written.add(callKey(call));
  }
};

const writeNotices = async (writing: Writing, notices: Difference['notices']): Promise<void> => {
  const { forge, plan, composer, called, signal, metrics } = writing;
  for (const notice of notices) {
    const body = composer.notice(notice, called.get(postingKey(notice.marker)) ?? []);
    const { threadId } = notice;
    if (forge.threads !== null && threadId !== undefined)
      await forge.threads.reply(plan.changeRequest, threadId, body, signal);
    else await forge.write.createComment(plan.changeRequest, body, signal);
    writing.written.add(postingKey(notice.marker));
    metrics.postedComments.inc({ kind: notice.marker.kind });
  }
};
