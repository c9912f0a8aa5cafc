/**
 * Writes one difference, without the status, in the order in which people should read it. After new threads were
 * posted, comments that link to them are written in the next pass.
 */
import type { Metrics } from '../../shared/metrics.ts';
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import { InlineRefusedError } from '../../shared/forge/errors.ts';
import { type Call, type Closing, type Difference, postingKey } from '../../shared/rounds/plan/difference.ts';
import type { ForgeVerdict } from '../../shared/vocabulary/forge-verdict.ts';
import type { PlannedInline, PlannedReply, PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import type { SummaryBody } from '../../shared/rounds/model/posting/post-plan.ts';
import { resolveFindingLinks } from '../../shared/rounds/plan/wording/finding-links.ts';
import type { Composer } from './compose.ts';
import type { CommentTarget } from './deps.ts';
import { isResolution, namedAnswer } from '../../shared/rounds/plan/answers/named-answer.ts';

export type Writing = {
  readonly forge: CommentTarget;
  readonly plan: PostPlan;
  /** The forge verdict to submit with the comments, if the forge supports this. */
  readonly verdict: ForgeVerdict | null;
  readonly composer: Composer;
  readonly metrics: { readonly postedComments: Pick<Metrics['postedComments'], 'inc'> };
  readonly checkpoint: (step: string) => void;
  readonly signal: AbortSignal;
  /** Whether Fixpoint created an unpublished review, so that it may be deleted. */
  readonly isOurs: (body: string) => boolean;
  /** The people that each part mentions, by posting key. */
  readonly called: ReadonlyMap<string, readonly string[]>;
  readonly seen: readonly ForgeComment[];
  /** Addresses of the threads, by finding id. */
  readonly urls: ReadonlyMap<string, string>;
  /** Fingerprints of findings whose position the forge refused; they go to the summary. Grows while writing. */
  readonly refused: Set<string>;
  /** Keys of acknowledged writes, which are not repeated even if the forge's lists lag behind. Grows while writing. */
  readonly written: Set<string>;
};

export const writeDifference = async (writing: Writing, rest: Difference): Promise<void> => {
  const { checkpoint } = writing;
  checkpoint('before-post');
  const isPosted = await writeInline(
    writing,
    rest.inline.filter(({ marker }) => !writing.refused.has(marker.fp)),
    rest.summary,
  );
  checkpoint('after-inline');
  await writeReplies(writing, rest.replies);
  await writeClosings(writing, rest.closings);
  // The comments below link to the new threads, whose addresses are known only after the threads are read back.
  if (isPosted) return;
  checkpoint('before-summary');
  await writeSummary(writing, rest.summary);
  checkpoint('after-summary');
  await writeNotices(writing, rest.notices);
  await editCalls(writing, rest.calls);
};

/** Submits one review, so that people get one notification. If a comment is refused, submits the rest. True if a comment was posted. */
const writeInline = async (
  writing: Writing,
  wanted: readonly PlannedInline[],
  summary: Difference['summary'],
): Promise<boolean> => {
  let rest = wanted;
  while (rest.length > 0) {
    const seen = rest === wanted ? { seen: writing.seen } : {};
    const refusal = await submit(writing, { comments: rest, ...seen, summary });
    if (refusal === null) return true;
    if (refusal.index === null) return writeOneByOne(writing, rest);
    const bad = rest[refusal.index];
    if (bad === undefined) throw refusal;
    writing.refused.add(bad.marker.fp);
    rest = rest.filter((each) => each !== bad);
  }
  return false;
};

const writeOneByOne = async (writing: Writing, wanted: readonly PlannedInline[]): Promise<boolean> => {
  let isPosted = false;
  for (const each of wanted) {
    // A later comment may still be refused, and the summary has to list it.
    const refusal = await submit(writing, { comments: [each], summary: null });
    if (refusal === null) isPosted = true;
    else writing.refused.add(each.marker.fp);
  }
  return isPosted;
};

type Submission = {
  readonly comments: readonly PlannedInline[];
  /** Set only while nothing has been written since these comments were read. */
  readonly seen?: readonly ForgeComment[];
  readonly summary: Difference['summary'];
};

const submit = async (
  writing: Writing,
  { comments: wanted, seen, summary }: Submission,
): Promise<InlineRefusedError | null> => {
  const { forge, plan, composer, signal, metrics } = writing;
  const comments = wanted.map((each) => ({ position: each.position, body: composer.inline(each) }));
  const [first] = wanted;
  if (first === undefined) return null;
  const isSummary = holdsSummary(writing, summary);
  const body = isSummary ? summaryBody(writing) : composer.plain(plan.reviewText ?? '', reviewBodyMarker(first));
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
    for (const each of wanted) writing.written.add(postingKey(each.marker));
    metrics.postedComments.inc({ kind: 'inline' }, comments.length);
    if (isSummary) {
      writing.written.add(SUMMARY_UNLINKED);
      metrics.postedComments.inc({ kind: 'summary' });
    }
    return null;
  } catch (error) {
    if (error instanceof InlineRefusedError) return error;
    throw error;
  }
};

/**
 * If a forge sends a review's body by email and can edit it, that body is the new summary, so that only one
 * notification is sent.
 */
const holdsSummary = ({ forge, plan }: Writing, summary: Difference['summary']): boolean =>
  summary?.kind === 'create' && plan.summary !== null && forge.reviewBody;

const summaryBody = (writing: Writing): PostableBody => {
  const { plan, composer } = writing;
  if (plan.summary === null) throw new TypeError('the plan has no summary');
  const { marker, ...planned } = plan.summary;
  return composer.summary(linked(writing, withRefused(writing, planned)), marker);
};

/** Identifies the review as ours, even if it was left without comments. It has no posting key, so it never counts as a posted part. */
const reviewBodyMarker = ({ marker }: PlannedInline): PostPlan['notices'][number]['marker'] => ({
  kind: 'answer',
  note: `review.${marker.run}`,
  cr: marker.cr,
  review: marker.review,
  attempt: marker.attempt,
  run: marker.run,
});

type Reply = Difference['replies'][number];

/** If the forge has no replies, or a thread's first comment is missing, the replies share one comment that names their findings' ids. */
const writeReplies = async (writing: Writing, replies: Difference['replies']): Promise<void> => {
  const { forge, plan, signal, metrics } = writing;
  const shared: Reply[] = [];
  for (const each of replies) {
    const { reply, comment } = each;
    const threadId = comment?.threadId ?? null;
    if (isResolution(reply.marker) && comment !== null) await resolveThread(writing, comment);
    if (forge.threads === null || threadId === null) {
      shared.push(each);
      continue;
    }
    await forge.threads.reply(plan.changeRequest, threadId, replyBody(writing, reply), signal);
    writing.written.add(postingKey(reply.marker));
    metrics.postedComments.inc({ kind: 'reply' });
    writing.checkpoint('after-reply');
  }
  await writeTogether(writing, shared);
};

const MAX_SHARED = 50;

const writeTogether = async (writing: Writing, replies: readonly Reply[]): Promise<void> => {
  const { forge, plan, composer, signal, metrics } = writing;
  for (let at = 0; at < replies.length; at += MAX_SHARED) {
    const part = replies.slice(at, at + MAX_SHARED);
    const answers = part.map(({ reply }) => namedAnswer(reply, writing.urls));
    const names = [...new Set(part.flatMap(({ reply }) => writing.called.get(postingKey(reply.marker)) ?? []))];
    await forge.write.createComment(plan.changeRequest, composer.answers(answers, names), signal);
    for (const { reply } of part) writing.written.add(postingKey(reply.marker));
    metrics.postedComments.inc({ kind: 'reply' });
    writing.checkpoint('after-reply');
  }
};

const replyBody = ({ composer, called }: Writing, reply: PlannedReply): PostableBody =>
  composer.calling(reply, called.get(postingKey(reply.marker)) ?? []);

const resolveThread = async ({ forge, plan, signal }: Writing, comment: ForgeComment): Promise<void> => {
  const { threadId, resolved } = comment;
  if (forge.resolving === null || threadId === null || resolved === true) return;
  await forge.resolving.resolveThread(plan.changeRequest, threadId, signal);
};

/**
 * Resolves a thread before editing its comment, so that a crash in between cannot leave an open thread whose comment
 * says "resolved".
 */
const writeClosings = async (writing: Writing, closings: Difference['closings']): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const closing of closings) {
    await resolveThread(writing, closing.comment);
    await forge.write.editComment(plan.changeRequest, closing.comment, composer.closed(closing), signal);
    writing.written.add(closingKey(closing));
    writing.checkpoint('after-closing');
  }
};

/** Key of a verdict that the forge acknowledged; the verdict is not given again, even if the forge's lists lag behind. */
export const givenKey = (verdict: ForgeVerdict): string => `verdict.${verdict}`;

/** The key of an edit is used only while its plan is being posted. */
export const closingKey = ({ closure }: Closing): string => `closing.${closure.marker.fp}.${closure.marker.review}`;

const SUMMARY_WRITTEN = 'summary.written';

/** Key of a summary that was posted together with threads whose addresses it could not link to yet. */
const SUMMARY_UNLINKED = 'summary.unlinked';

export const isSummaryWritten = ({ written }: { readonly written: ReadonlySet<string> }): boolean =>
  written.has(SUMMARY_WRITTEN);

export const isSummaryUnlinked = ({ written }: Pick<Writing, 'written'>): boolean =>
  written.has(SUMMARY_UNLINKED) && !written.has(SUMMARY_WRITTEN);

const writeSummary = async (writing: Writing, change: Difference['summary']): Promise<void> => {
  const { forge, plan, signal, metrics } = writing;
  if (change === null || plan.summary === null || isSummaryWritten(writing)) return;
  const body = summaryBody(writing);
  if (change.kind === 'edit') {
    await forge.write.editComment(plan.changeRequest, change.comment, body, signal);
  } else {
    await forge.write.createComment(plan.changeRequest, body, signal);
    metrics.postedComments.inc({ kind: 'summary' });
  }
  writing.written.add(SUMMARY_WRITTEN);
};

const linked = ({ urls }: Writing, { text, folds = [], ...rest }: SummaryBody): SummaryBody => ({
  ...rest,
  text: resolveFindingLinks(text, urls),
  folds: folds.map((fold) => ({ ...fold, text: resolveFindingLinks(fold.text, urls) })),
});

const withRefused = ({ plan, refused }: Writing, body: SummaryBody): SummaryBody => {
  const lost = plan.inline.filter(({ marker }) => refused.has(marker.fp));
  if (lost.length === 0) return body;
  const items = lost.map(
    ({ marker: { path, line, id }, text }) => `- \`${path}:${line}\` (${id}) ${text.replaceAll('\n', '\n  ')}`,
  );
  const note = `#### Additional notes (not in diff)\n\nThe forge refused these as inline comments.\n\n${items.join('\n')}`;
  return { ...body, text: `${body.text}\n\n${note}` };
};

const linkedNotice = ({ urls }: Writing, notice: Call['notice']): Call['notice'] => ({
  ...notice,
  text: resolveFindingLinks(notice.text, urls),
});

export const callKey = ({ notice: { marker } }: Call): string =>
  marker.kind === 'handoff' ? `${postingKey(marker)}.${marker.head}` : postingKey(marker);

/**
 * Edits the existing comment instead of mentioning the operators again; the edited comment gives the reason for this
 * head.
 */
const editCalls = async (writing: Writing, calls: readonly Call[]): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const call of calls) {
    await forge.write.editComment(
      plan.changeRequest,
      call.comment,
      composer.notice(linkedNotice(writing, call.notice), []),
      signal,
    );
    writing.written.add(callKey(call));
  }
};

const writeNotices = async (writing: Writing, notices: Difference['notices']): Promise<void> => {
  const { forge, plan, composer, called, signal, metrics } = writing;
  for (const notice of notices) {
    const names = called.get(postingKey(notice.marker)) ?? [];
    const body = composer.notice(linkedNotice(writing, notice), names);
    const { threadId } = notice;
    if (forge.threads !== null && threadId !== undefined)
      await forge.threads.reply(plan.changeRequest, threadId, body, signal);
    else await forge.write.createComment(plan.changeRequest, body, signal);
    writing.written.add(postingKey(notice.marker));
    metrics.postedComments.inc({ kind: notice.marker.kind });
  }
};
