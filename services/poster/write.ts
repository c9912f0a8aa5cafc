/** Writes one difference in the order in which it should be read, without the status. */
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
  /** The forge verdict to submit with the comments, where the forge allows it. */
  readonly verdict: ForgeVerdict | null;
  readonly composer: Composer;
  readonly metrics: Pick<Metrics, 'postedComments'>;
  readonly checkpoint: (step: string) => void;
  readonly signal: AbortSignal;
  /** Whether an unpublished review is ours and may be deleted. */
  readonly isOurs: (body: string) => boolean;
  readonly seen: readonly ForgeComment[];
  /** Fingerprints of findings whose position the forge refused; they go to the summary. Grows while writing. */
  readonly refused: Set<string>;
  /** Keys of acknowledged writes; they are not repeated when the lists of the forge lag behind. Grows while writing. */
  readonly written: Set<string>;
};

export const writeDifference = async (writing: Writing, rest: Difference): Promise<void> => {
  const { checkpoint } = writing;
  checkpoint('before-post');
  await writeInline(
    writing,
    rest.inline.filter(({ marker }) => !writing.refused.has(marker.fp)),
    rest.summary,
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

/** Submits one review, so one notification. A refused comment is left out for the summary, and the rest is sent again. */
const writeInline = async (
  writing: Writing,
  wanted: readonly PlannedInline[],
  summary: Difference['summary'],
): Promise<void> => {
  let rest = wanted;
  while (rest.length > 0) {
    const seen = rest === wanted ? { seen: writing.seen } : {};
    const refusal = await submit(writing, { comments: rest, ...seen, summary });
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
    // Another comment may be refused yet, and the summary has to list that.
    const refusal = await submit(writing, { comments: [each], summary: null });
    if (refusal !== null) writing.refused.add(each.marker.fp);
  }
};

type Submission = {
  readonly comments: readonly PlannedInline[];
  /** Set only while nothing was written since that reading. */
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
    if (isSummary) writing.written.add(SUMMARY_WRITTEN);
    metrics.postedComments.inc({ kind: 'inline' }, comments.length);
    return null;
  } catch (error) {
    if (error instanceof InlineRefusedError) return error;
    throw error;
  }
};

/** The first review that asks is one notification: its body is the summary, where the forge mails and edits that body. */
const holdsSummary = ({ forge, plan }: Writing, summary: Difference['summary']): boolean =>
  summary?.kind === 'create' && plan.summary !== null && forge.reviewBody;

const summaryBody = (writing: Writing): PostableBody => {
  const { plan, composer } = writing;
  if (plan.summary === null) throw new TypeError('the plan has no summary');
  return composer.plain(withRefused(writing, plan.summary.text), plan.summary.marker);
};

/** Identifies the review as ours, also a leftover without comments; it has no posting key, so it never counts as a posted part. */
const reviewBodyMarker = ({ marker }: PlannedInline): PostPlan['notices'][number]['marker'] => ({
  kind: 'answer',
  note: `review.${marker.run}`,
  cr: marker.cr,
  round: marker.round,
  attempt: marker.attempt,
  run: marker.run,
});

/** Without reply support, or when the first comment is deleted, the reply goes to the conversation with the finding id. */
const writeReplies = async (writing: Writing, replies: Difference['replies']): Promise<void> => {
  const { forge, plan, composer, signal, metrics } = writing;
  for (const { reply, comment } of replies) {
    const threadId = comment?.threadId ?? null;
    if (isResolution(reply.marker) && comment !== null) await resolveThread(writing, comment);
    if (forge.threads !== null && threadId !== null) {
      await forge.threads.reply(plan.changeRequest, threadId, composer.plain(reply.text, reply.marker), signal);
    } else {
      // A resolution text names its finding.
      const text = isResolution(reply.marker) ? reply.text : `**${reply.marker.id}:** ${reply.text}`;
      await forge.write.createComment(plan.changeRequest, composer.plain(text, reply.marker), signal);
    }
    writing.written.add(postingKey(reply.marker));
    metrics.postedComments.inc({ kind: 'reply' });
    writing.checkpoint('after-reply');
  }
};

const isResolution = (marker: PlannedReply['marker']): boolean =>
  marker.kind === 'reply' && marker.action === 'resolve';

const resolveThread = async ({ forge, plan, signal }: Writing, comment: ForgeComment): Promise<void> => {
  const { threadId, resolved } = comment;
  if (forge.resolving === null || threadId === null || resolved === true) return;
  await forge.resolving.resolveThread(plan.changeRequest, threadId, signal);
};

/** Resolves before editing: after a crash in between, no comment says "resolved" over an open thread. */
const writeClosings = async (writing: Writing, closings: Difference['closings']): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const closing of closings) {
    await resolveThread(writing, closing.comment);
    await forge.write.editComment(plan.changeRequest, closing.comment, composer.closed(closing), signal);
    writing.written.add(closingKey(closing));
    writing.checkpoint('after-closing');
  }
};

/** Key of a verdict that the forge acknowledged; it is not given again, even when the lists lag behind. */
export const givenKey = (verdict: ForgeVerdict): string => `verdict.${verdict}`;

/** An edit has a key only while its plan is being posted. */
export const closingKey = ({ closure }: Closing): string => `closing.${closure.marker.fp}.${closure.marker.round}`;

const SUMMARY_WRITTEN = 'summary.written';

export const isSummaryWritten = ({ written }: Writing): boolean => written.has(SUMMARY_WRITTEN);

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

const withRefused = ({ plan, refused }: Writing, text: string): string => {
  const lost = plan.inline.filter(({ marker }) => refused.has(marker.fp));
  if (lost.length === 0) return text;
  const items = lost.map(
    (each) => `- \`${each.marker.path}:${each.marker.line}\` ${each.text.replaceAll('\n', '\n  ')}`,
  );
  return `${text}\n\n#### Additional notes (not in diff)\n\nThe forge refused these as inline comments.\n\n${items.join('\n')}`;
};

export const callKey = ({ notice: { marker } }: Call): string =>
  marker.kind === 'handoff' ? `${postingKey(marker)}.${marker.head}` : postingKey(marker);

/** Edits the existing call instead of mentioning the operators again; it gives the reason per head. */
const editCalls = async (writing: Writing, calls: readonly Call[]): Promise<void> => {
  const { forge, plan, composer, signal } = writing;
  for (const call of calls) {
    await forge.write.editComment(plan.changeRequest, call.comment, composer.notice(call.notice), signal);
    writing.written.add(callKey(call));
  }
};

const writeNotices = async (writing: Writing, notices: Difference['notices']): Promise<void> => {
  const { forge, plan, composer, signal, metrics } = writing;
  for (const notice of notices) {
    const body = composer.notice(notice);
    const { threadId } = notice;
    if (forge.threads !== null && threadId !== undefined)
      await forge.threads.reply(plan.changeRequest, threadId, body, signal);
    else await forge.write.createComment(plan.changeRequest, body, signal);
    writing.written.add(postingKey(notice.marker));
    metrics.postedComments.inc({ kind: notice.marker.kind });
  }
};
