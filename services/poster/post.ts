/**
 * Posts exactly once without idempotency keys: read everything, write what is missing, read back, repeat, then delete
 * duplicates of concurrent writers. The status is written last.
 */
import { ForgeUnknownOutcomeError } from '../../shared/forge/errors.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { KnownComments } from '../../shared/forge/port.ts';
import { difference, type Difference, duplicatesOf, isDone, postingKey } from '../../shared/rounds/plan/difference.ts';
import { otherReviewer } from '../../shared/rounds/plan/other-reviewer.ts';
import type { OwnMarker } from '../../shared/rounds/memory/own-markers.ts';
import { lacksFindingLinks } from '../../shared/rounds/plan/wording/finding-links.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { fixedText } from './compose-body.ts';
import { createComposer } from './compose.ts';
import { mayHoldSummary } from '../../shared/rounds/memory/marker.ts';
import { isOurs } from './is-ours.ts';
import type { Calling } from './calls/call-forge.ts';
import { nameCalled } from './calls/name-called.ts';
import { isMine, readAll, type Reading, readOwn, SETTLE_MS, takeLook } from './read-own.ts';
import { claimRun, type GaveWay, readAfterClaim, yieldTo } from './claim-run.ts';
import { verdictWithComments, settleVerdict } from './settle-verdict.ts';
import { sayStatus } from './say-why.ts';
import { fetchStanding } from './standing.ts';
import { takeBackIfChanged, withdraw } from './take-back.ts';
import { type SaidStatus, writeStatus } from './write-status.ts';
import { callKey, closingKey, isSummaryUnlinked, isSummaryWritten, writeDifference, type Writing } from './write.ts';
import type { Posting } from './deps.ts';

/** Each pass reads and then writes. If every outcome of a pass is known, the next pass has nothing to write. */
const MAX_PASSES = 5;

export type PostOutcome = 'posted' | 'head_moved' | GaveWay;

export const post = async (posting: Posting): Promise<PostOutcome> => {
  const { deps, plan } = posting;
  const facts = await fetchStanding(posting);
  if (facts === null) return 'head_moved';
  if (deps.dryRun) return 'posted';
  if (plan.kind === 'withdraw') {
    await withdraw(posting, facts);
    return 'posted';
  }
  const look = await takeLook(posting, facts);
  if (plan.announcement !== null) return announce(posting, facts, look);
  if (plan.kind !== 'review') return writeResult(posting, facts, { look });
  const reading = look ?? (await readAll(posting));
  const other = otherReviewer(plan, reading.own);
  return other === null ? writeResult(posting, facts, { look: reading }) : yieldTo(posting, facts, other);
};

type Before = {
  readonly look: Reading | null;
  /** The pending status, if it is written already. */
  readonly claimed?: SaidStatus | null;
};

const writeResult = async (
  posting: Posting,
  facts: ChangeRequestFacts,
  { look, claimed = null }: Before,
): Promise<PostOutcome> => {
  const { deps, plan } = posting;
  const said = await makeTrue(posting, facts, look);
  // If nothing was written or the plan has no verdict, the facts are still up to date.
  const still = said.written && !isBeginning(plan) ? await fetchStanding(posting) : facts;
  if (still === null) return 'head_moved';
  await settleVerdict(posting, still);
  deps.checkpoint('before-status');
  const status = claimed ?? (await writeStatus(pointingTo(posting, said.summaryUrl), still));
  deps.checkpoint('after-status');
  const isEdited = await sayStatus(posting, status);
  const isChanged = await takeBackIfChanged(posting, status?.status ?? null, still);
  const isAllRead = plan.forgeVerdict === null && !isEdited && !isChanged;
  if (isAllRead) await handOver(posting, still, said);
  return 'posted';
};

/** Makes the status link to the summary. */
const pointingTo = (posting: Posting, url: string | null): Posting => {
  const { plan } = posting;
  return plan.status === null || url === null
    ? posting
    : { ...posting, plan: { ...plan, status: { ...plan.status, url } } };
};

/** When the status alone announces the run, no comment is written, and guard can use what was read before. */
const announce = async (posting: Posting, facts: ChangeRequestFacts, look: Reading | null): Promise<PostOutcome> => {
  const before = look ?? (await readAll(posting));
  const claim = await claimRun(posting, facts, before);
  if (claim.rival !== null) return yieldTo(posting, facts, claim.rival);
  const reading = await readAfterClaim(posting, facts, { claim, before });
  const other = reading === before ? null : otherReviewer(posting.plan, reading.own);
  if (other !== null) return yieldTo(posting, facts, other);
  const { said, isQuiet } = claim;
  if (said === null || !isQuiet) {
    const outcome = await writeResult(posting, facts, { look: reading, claimed: said });
    const rival = said === null && outcome === 'posted' ? otherReviewer(posting.plan, await readOwn(posting)) : null;
    return rival === null ? outcome : yieldTo(posting, facts, rival);
  }
  if (posting.plan.forgeVerdict === null)
    await handOver(posting, facts, { written: false, comments: reading.comments, summaryUrl: null });
  return 'posted';
};

/** The start of a run is announced without a second check of the input; the end of the run has its own check. */
const isBeginning = ({ kind, status, forgeVerdict }: PostPlan): boolean =>
  (kind === 'announce' || kind === 'replies_announce') && status?.state === 'pending' && forgeVerdict === null;

/** `comments`: the comments read when nothing was missing; null if comments were deleted afterwards. */
type Said = {
  readonly written: boolean;
  readonly comments: readonly ForgeComment[] | null;
  /** Address of the summary; null if it is unknown. */
  readonly summaryUrl: string | null;
};

const urlsOf = (own: readonly OwnMarker[]): ReadonlyMap<string, string> =>
  new Map(
    own.flatMap(({ payload, comment }): readonly (readonly [string, string])[] =>
      payload.kind === 'finding' && comment.webUrl !== '' ? [[payload.id, comment.webUrl]] : [],
    ),
  );

/** Gives the comments to guard, which would otherwise fetch them again next. */
const handOver = async ({ deps, plan }: Posting, facts: ChangeRequestFacts, { comments }: Said): Promise<void> => {
  if (comments === null) return;
  await deps.readings.hand(plan.changeRequest, { planId: plan.planId, facts, comments: [...comments] });
};

/** `look`: something recently read that replaces the first reading; the result is read back anyway. */
export const makeTrue = async (
  posting: Posting,
  facts: ChangeRequestFacts,
  look: Reading | null = null,
): Promise<Said> => {
  const { deps, plan } = posting;
  const [begun] = await Promise.all([beginWriting(posting, facts), deps.readings.drop(plan.changeRequest)]);
  try {
    return await writeAll(posting, { facts, begun, look });
  } finally {
    // A reading that was stored in the meantime may show a half-written plan.
    await deps.readings.drop(plan.changeRequest);
  }
};

type Begun = Omit<Writing, 'seen' | 'called' | 'urls'>;

type Start = { readonly facts: ChangeRequestFacts; readonly begun: Begun; readonly look: Reading | null };

const writeAll = async (posting: Posting, { facts, begun, look }: Start): Promise<Said> => {
  const { deps, forge, plan } = posting;
  let known: KnownComments | undefined;
  for (let pass = 1; ; pass += 1) {
    const isLook = pass === 1 && look !== null;
    const reading = isLook ? look : await readAll(posting, known);
    const { own } = reading;
    const writing = { ...begun, seen: reading.comments, urls: urlsOf(own) };
    await deps.seen.add(
      plan.planId,
      own.map(({ payload }) => postingKey(payload)),
    );
    const isOwn = isMine(forge);
    const rest = withoutKnown(difference(plan, own, writing.written, isOwn), writing, { own, isOwn });
    if (isDone(rest)) {
      const removed = await removeDuplicates(posting, own);
      const summary = own.find(({ payload, comment }) => payload.kind === 'summary' && isMine(forge)(comment));
      return {
        written: removed > 0 || pass > 1,
        comments: removed > 0 || isLook ? null : reading.comments,
        summaryUrl: summary?.comment.webUrl ?? null,
      };
    }
    if (pass > MAX_PASSES) throw new ForgeUnknownOutcomeError({ passes: MAX_PASSES }, undefined);
    const called = await nameCalled({ ...calling(posting, facts), planId: plan.planId, called: deps.called }, rest);
    const outcome = await tryToWrite(posting, { ...writing, called }, rest);
    const written = outcome === 'known' ? writtenIn(rest) : null;
    known = written === null ? undefined : { comments: reading.comments, written };
  }
};

const calling = ({ deps, forge, log, signal }: Posting, facts: ChangeRequestFacts): Calling => ({
  forge: forge.calls,
  settings: deps.calls,
  facts,
  log,
  signal,
});

const beginWriting = async (posting: Posting, facts: ChangeRequestFacts): Promise<Begun> => {
  const { deps, forge, plan, signal } = posting;
  return {
    forge,
    plan,
    verdict: verdictWithComments(posting, facts),
    composer: createComposer(forge, deps, facts.webUrl),
    metrics: deps.metrics,
    checkpoint: deps.checkpoint,
    signal,
    isOurs: (body) => isOurs(body, deps.markerSecrets),
    refused: new Set(),
    written: new Set(await deps.seen.load(plan.planId)),
  };
};

/** Returns null if a new review may have been created. Replies that were posted in the conversation also count as `threads`. */
const writtenIn = (rest: Difference): KnownComments['written'] | null => {
  const { inline, replies, closings, notices, summary } = rest;
  if (inline.length > 0) return null;
  const isBody = summary?.kind === 'edit' && summary.comment.kind === 'review_body';
  if (isBody && isDone({ ...rest, summary: null })) return 'review';
  const inThreads = replies.length + closings.length > 0 || notices.some(({ threadId }) => threadId !== undefined);
  return inThreads ? 'threads' : 'conversation';
};

type OwnComments = { readonly own: readonly OwnMarker[]; readonly isOwn: (comment: ForgeComment) => boolean };

/** Removes inline comments that the forge refused (the summary lists them) and parts whose write the forge acknowledged. */
const withoutKnown = (rest: Difference, writing: Omit<Writing, 'called'>, own: OwnComments): Difference => ({
  ...rest,
  inline: rest.inline.filter(({ marker }) => !writing.refused.has(marker.fp)),
  closings: rest.closings.filter((closing) => !writing.written.has(closingKey(closing))),
  calls: rest.calls.filter((call) => !writing.written.has(callKey(call))),
  summary: summaryChange(rest.summary, own, writing),
});

/**
 * A summary that was posted as the body of a review gets its links by an edit, which sends no email. Whether it still lacks
 * them is read from the forge, because the process may have died before it stored what it had written.
 */
const summaryChange = (
  change: Difference['summary'],
  { own, isOwn }: OwnComments,
  writing: Pick<Writing, 'written' | 'plan' | 'urls'>,
): Difference['summary'] => {
  if (isSummaryWritten(writing)) return null;
  const summary = own.find(({ payload, comment }) => payload.kind === 'summary' && isOwn(comment))?.comment;
  if (isSummaryUnlinked(writing)) return summary === undefined ? null : { kind: 'edit', comment: summary };
  if (change !== null || summary === undefined || summary.kind !== 'review_body') return change;
  const lacks = lacksFindingLinks(summary.body, writing.plan.summary?.text ?? '', writing.urls);
  return lacks ? { kind: 'edit', comment: summary } : null;
};

/** Stores the acknowledged writes for the job's next attempt, because the forge's lists may lag behind. */
const tryToWrite = async (
  { deps, plan, log, signal }: Posting,
  writing: Writing,
  rest: Difference,
): Promise<'known' | 'unknown'> => {
  try {
    await writeDifference(writing, rest);
    return 'known';
  } catch (error) {
    if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
    log.warn({ err: error }, 'a write has an unknown outcome; reading back before the next write');
    await deps.sleep(SETTLE_MS, signal);
    return 'unknown';
  } finally {
    await deps.seen.add(plan.planId, [...writing.written]);
  }
};

/** Deletes duplicates. A duplicate that someone replied to is kept and edited to point to the first comment. */
const removeDuplicates = async (posting: Posting, own: readonly OwnMarker[]): Promise<number> => {
  const { forge, plan, log, signal } = posting;
  // A review with comments is not deleted. Several reviews may have the plan's body, but only one of them is the summary.
  const doubles = duplicatesOf(own, isMine(forge)).filter(
    ({ kind, body }) => kind !== 'review_body' || mayHoldSummary(body),
  );
  if (doubles.length === 0) return 0;
  const all = await forge.read.fetchComments(plan.changeRequest, signal);
  for (const comment of doubles) {
    if (comment.kind === 'review_body' || isAnswered(comment, all, forge.botIds))
      await forge.write.editComment(plan.changeRequest, comment, SAID_TWICE, signal);
    else await forge.write.deleteComment(plan.changeRequest, comment, signal);
    log.warn({ commentId: comment.id }, 'deleted a duplicate comment');
  }
  return doubles.length;
};

const SAID_TWICE = fixedText`This comment was posted twice by mistake; the first one counts.`;

const isAnswered = ({ threadId }: ForgeComment, all: readonly ForgeComment[], botIds: ReadonlySet<number>): boolean =>
  threadId !== null &&
  all.some((other) => other.threadId === threadId && (other.author === null || !botIds.has(other.author.id)));
