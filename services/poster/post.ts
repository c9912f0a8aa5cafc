/**
 * Posting exactly once, without idempotency keys on the other side: read everything, write only what is missing, read
 * back, write again what is still missing, then remove what two writers left double. The status comes last.
 */
import type { Logger } from 'pino';
import { ForgeUnknownOutcomeError } from '../../shared/forge/errors.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port.ts';
import { type Difference, difference, duplicatesOf, isDone, postingKey } from '../../shared/rounds/difference.ts';
import type { OwnMarker } from '../../shared/rounds/history.ts';
import type { PostPlan } from '../../shared/rounds/post-plan.ts';
import { post as fixedText } from '../../shared/text/compose-body.ts';
import { readMarkers } from '../../shared/text/marker.ts';
import { createComposer } from './compose.ts';
import type { PosterDeps, PosterForge } from './deps.ts';
import { readStatus } from './place-members.ts';
import { isMine, readOwn, SETTLE_MS } from './read-own.ts';
import { carriedVerdict, settleVerdict } from './settle-verdict.ts';
import { sayHeld } from './say-held.ts';
import { fetchStanding } from './standing.ts';
import { takeBackIfChanged } from './take-back.ts';
import { writeStatus } from './write-status.ts';
import { closingKey, isSummaryWritten, writeDifference, type Writing } from './write.ts';

export type Posting = {
  readonly deps: PosterDeps;
  readonly forge: PosterForge;
  readonly plan: PostPlan;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Passes of read and write. Each one that ends without an unknown outcome leaves nothing for the next. */
const MAX_PASSES = 4;

export type PostOutcome = 'posted' | 'head_moved';

export const post = async (posting: Posting): Promise<PostOutcome> => {
  const { deps, forge, plan, signal } = posting;
  const facts = await fetchStanding(posting);
  if (facts === null) return 'head_moved';
  if (deps.dryRun || (await isOverdue(posting, facts))) return 'posted';
  await forge.write.clearLeftovers(plan.changeRequest, (body) => isOurs(body, deps.markerSecrets), signal);
  await makeTrue(posting, facts);
  const still = await fetchStanding(posting);
  if (still === null) return 'head_moved';
  await settleVerdict(posting, still);
  deps.checkpoint('before-status');
  const said = await writeStatus(posting, still);
  deps.checkpoint('after-status');
  if (said !== null && said.heldBy !== null) await sayHeld(posting, said.heldBy);
  await takeBackIfChanged(posting, said?.status ?? null);
  return 'posted';
};

/** What was to be taken back may have been earned since: this plan may have waited for others. */
const isOverdue = async (posting: Posting, facts: ChangeRequestFacts): Promise<boolean> =>
  posting.plan.kind === 'withdraw' && (await readStatus(posting, facts)).state === 'success';

const isOurs = (body: string, secrets: readonly string[]): boolean => {
  const readings = readMarkers(body, secrets);
  return readings.length > 0 && readings.every(({ kind }) => kind === 'valid');
};

export const makeTrue = async (posting: Posting, facts: ChangeRequestFacts): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const seen = await deps.seen.load(plan.planId);
  const writing: Writing = {
    forge,
    plan,
    verdict: carriedVerdict(posting, facts),
    composer: createComposer(forge, deps),
    metrics: deps.metrics,
    checkpoint: deps.checkpoint,
    signal,
    refused: new Set(),
    written: new Set(seen),
  };
  for (let pass = 1; ; pass += 1) {
    const own = await readOwn(posting);
    await deps.seen.add(
      plan.planId,
      own.map(({ payload }) => postingKey(payload)),
    );
    const rest = withoutKnown(difference(plan, own, writing.written, isMine(forge)), writing);
    if (isDone(rest)) return removeDuplicates(posting, own);
    if (pass > MAX_PASSES) throw new ForgeUnknownOutcomeError({ passes: MAX_PASSES }, undefined);
    await tryToWrite(posting, writing, rest);
  }
};

/** What the forge refused goes into the summary; what it acknowledged is written, whatever its lists say yet. */
const withoutKnown = (rest: Difference, writing: Writing): Difference => ({
  ...rest,
  inline: rest.inline.filter(({ marker }) => !writing.refused.has(marker.fp)),
  closings: rest.closings.filter((closing) => !writing.written.has(closingKey(closing))),
  summary: isSummaryWritten(writing) ? null : rest.summary,
});

/** What the forge acknowledged is remembered also for the next try of the job: its lists may lag behind that too. */
const tryToWrite = async ({ deps, plan, log, signal }: Posting, writing: Writing, rest: Difference): Promise<void> => {
  try {
    await writeDifference(writing, rest);
  } catch (error) {
    if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
    log.warn({ err: error }, 'a write has an unknown outcome; reading again before anything else is written');
    await deps.sleep(SETTLE_MS, signal);
  } finally {
    await deps.seen.add(plan.planId, [...writing.written]);
  }
};

/** A double that somebody answered is part of a talk: it stays and says where the other one is. */
const removeDuplicates = async (posting: Posting, own: readonly OwnMarker[]): Promise<void> => {
  const { forge, plan, log, signal } = posting;
  const doubles = duplicatesOf(own, isMine(forge)).filter(({ kind }) => kind !== 'review_body');
  if (doubles.length === 0) return;
  const all = await forge.read.fetchComments(plan.changeRequest, signal);
  for (const comment of doubles) {
    if (isAnswered(comment, all, forge.botIds))
      await forge.write.editComment(plan.changeRequest, comment, SAID_TWICE, signal);
    else await forge.write.deleteComment(plan.changeRequest, comment, signal);
    log.warn({ commentId: comment.id }, 'took back a comment that was posted twice');
  }
};

const SAID_TWICE = fixedText`This was said twice by mistake; the first comment counts.`;

const isAnswered = ({ threadId }: ForgeComment, all: readonly ForgeComment[], botIds: ReadonlySet<number>): boolean =>
  threadId !== null &&
  all.some((other) => other.threadId === threadId && (other.author === null || !botIds.has(other.author.id)));
