/**
 * Posting exactly once, without idempotency keys on the other side: read everything, write only what is missing, read
 * back, write again what is still missing, then remove what two writers left double. The status comes last.
 */
import type { Logger } from 'pino';
import { ForgeUnknownOutcomeError } from '../../shared/forge/errors.ts';
import type { ForgeComment } from '../../shared/forge/port.ts';
import { type Difference, difference, duplicatesOf, isDone, postingKey } from '../../shared/rounds/difference.ts';
import { type OwnMarker, readOwnMarkers } from '../../shared/rounds/history.ts';
import type { PostPlan } from '../../shared/rounds/post-plan.ts';
import { changeRequestKey } from '../../shared/rounds/vocabulary.ts';
import { readMarkers } from '../../shared/text/marker.ts';
import { createComposer } from './compose.ts';
import type { PosterDeps, PosterForge } from './deps.ts';
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

/** After an unknown outcome the write may still become visible; reading too early would post it twice. */
const SETTLE_MS = 3_500;

export type PostOutcome = 'posted' | 'head_moved';

export const post = async (posting: Posting): Promise<PostOutcome> => {
  const { deps, forge, plan, signal } = posting;
  if (!(await headStands(posting))) return 'head_moved';
  if (deps.dryRun) return 'posted';
  await forge.write.clearLeftovers(plan.changeRequest, (body) => isOurs(body, deps.markerSecrets), signal);
  await makeTrue(posting);
  if (!(await headStands(posting))) return 'head_moved';
  deps.checkpoint('before-status');
  await writeStatus(posting);
  deps.checkpoint('after-status');
  return 'posted';
};

const headStands = async ({ forge, plan, signal }: Posting): Promise<boolean> => {
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  if (facts === null || facts.state !== 'open') return false;
  return plan.allowStale || facts.head === plan.head;
};

const isOurs = (body: string, secrets: readonly string[]): boolean => {
  const readings = readMarkers(body, secrets);
  return readings.length > 0 && readings.every(({ kind }) => kind === 'valid');
};

const makeTrue = async (posting: Posting): Promise<void> => {
  const { deps, forge, plan, signal } = posting;
  const writing: Writing = {
    forge,
    plan,
    composer: createComposer(forge, deps),
    metrics: deps.metrics,
    checkpoint: deps.checkpoint,
    signal,
    refused: new Set(),
    written: new Set(),
  };
  const seen = await deps.seen.load(plan.planId);
  for (let pass = 1; ; pass += 1) {
    const own = await readOwn(posting);
    await deps.seen.add(
      plan.planId,
      own.map(({ payload }) => postingKey(payload)),
    );
    const rest = withoutKnown(difference(plan, own, new Set([...seen, ...writing.written])), writing);
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

const tryToWrite = async ({ deps, log, signal }: Posting, writing: Writing, rest: Difference): Promise<void> => {
  try {
    await writeDifference(writing, rest);
  } catch (error) {
    if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
    log.warn({ err: error }, 'a write has an unknown outcome; reading again before anything else is written');
    await deps.sleep(SETTLE_MS, signal);
  }
};

const readOwn = async ({ deps, forge, plan, signal }: Posting): Promise<readonly OwnMarker[]> => {
  const comments = await forge.read.fetchComments(plan.changeRequest, signal);
  const { own } = readOwnMarkers({
    comments,
    key: changeRequestKey(plan.changeRequest),
    botIds: forge.botIds,
    secrets: deps.markerSecrets,
  });
  return own.toSorted(
    (one, other) => one.comment.createdAtMs - other.comment.createdAtMs || byId(one.comment, other.comment),
  );
};

const byId = (one: ForgeComment, other: ForgeComment): number => Number(one.id) - Number(other.id);

/** A comment that somebody answered is history: it stays. */
const removeDuplicates = async ({ forge, plan, log, signal }: Posting, own: readonly OwnMarker[]): Promise<void> => {
  for (const comment of duplicatesOf(own)) {
    const shared = own.some((other) => other.comment !== comment && other.comment.id === comment.id);
    if (shared || comment.kind === 'review_body') continue;
    await forge.write.deleteComment(plan.changeRequest, comment, signal);
    log.warn({ commentId: comment.id }, 'removed a comment that was posted twice');
  }
};

const writeStatus = async ({ deps, forge, plan, signal }: Posting): Promise<void> => {
  await forge.write.writeStatus(
    plan.changeRequest,
    {
      head: plan.head,
      sourceBranch: plan.sourceBranch,
      state: plan.status.state,
      context: deps.statusContext,
      description: plan.status.description,
      targetUrl: null,
    },
    signal,
  );
};
