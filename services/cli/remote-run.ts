/**
 * Runs one review of one change request with the services' own code in this process, with an in-memory store and without
 * ingress, sweep and Redis. Counts, threads and costs come from the markers on the forge.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { markerSecretsOf } from '../../shared/config/loaded/marker-secrets.ts';
import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { LoggerOptions } from '../../shared/logger.ts';
import { listMistakes, mistakeText } from '../../shared/outage/mistakes.ts';
import { rebuildHistory } from '../../shared/rounds/memory/rebuild-history.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { History } from '../../shared/rounds/model/history.ts';
import { findInput, inputOf, mayBeSameInput } from '../../shared/rounds/model/input.ts';
import { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { transcriptsOf } from '../../shared/store/transcripts.ts';
import { changeRequestKey, type RunId } from '../../shared/vocabulary/ids.ts';
import { adjustSettings } from './address/adjust-settings.ts';
import {
  type AskedReview,
  isIdle,
  isPosting,
  lastReason,
  askGuard,
  settledState,
  untilKnown,
  wakeGuard,
} from './ask-review.ts';
import { startWorkers } from './one-process.ts';
import { startEmbeddedRedis } from './redis/embedded-redis.ts';
import type { ConnectedTarget } from './remote/connect-target.ts';
import { imaginePosted } from './remote/imagine-posted.ts';
import { readMirror } from './remote/read-mirror.ts';
import type { RemoteReading } from './remote/remote-output.ts';
import type { ReviewWatch } from './progress/watch.ts';
import { workOf } from './progress/work.ts';
import { UsageError } from './terminal/usage-error.ts';

export type RemoteRun = {
  readonly target: ConnectedTarget;
  readonly post: boolean;
  /** False in a CI job, because the job would wait for itself. */
  readonly waitForCi: boolean;
  readonly logTo: LoggerOptions['to'];
  readonly onProgress: (step: string) => void;
  /** Contract: receives the function that shows what a model is doing; must not throw. */
  readonly follow?: ReviewWatch['follow'] | undefined;
};

/** @throws UsageError when a service meets a misconfiguration */
export const reviewRemotely = async (run: RemoteRun, signal: AbortSignal): Promise<RemoteReading> => {
  const { target, post } = run;
  const before = await readVerdict(target, signal);
  if (before !== null) return { ...before, draft: null, isNew: false, isPosted: true, reason: null };
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-review-'));
  // The cage's account must reach the checkouts in this folder.
  await chmod(folder, 0o711);
  const store = await startEmbeddedRedis();
  try {
    const botUserIds = target.author === null ? [] : [target.author.id];
    const settings = adjustSettings(target.named.settings, {
      dataDir: folder,
      dryRun: !post,
      // A review that is only printed sets no status, so it does not wait for CI.
      waitForCi: post && run.waitForCi,
      botUserIds,
    });
    const { env, named } = target;
    // This process serves one review only, so it ends without draining its queues.
    const means = { settings, folder: named.folder, env, connectRedis: store.connect, drainMs: 0 };
    const workers = await startWorkers({ ...means, logTo: run.logTo, logLevel: 'info' });
    try {
      const reading = await askAndWait(run, store.connect(), signal);
      const { facts, history } = reading;
      const codeOf = await readMirror({ folder, searchPath: env['PATH'] ?? '', facts, history }, signal);
      return { ...reading, codeOf };
    } finally {
      await workers.close();
    }
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

const askAndWait = async (run: RemoteRun, redis: Redis, signal: AbortSignal): Promise<RemoteReading> => {
  const { config, of, self, forge } = run.target;
  const asked: AskedReview = { config, of, redis };
  const askedAtMs = Date.now();
  await askGuard(asked, self);
  try {
    await untilSettled(run, asked, signal);
  } finally {
    // The store is closed before the command ends, so progress must stop reading from it.
    run.follow?.(null);
  }
  const facts = (await forge.read.fetchChangeRequest(of, signal)) ?? run.target.facts;
  const comments = await forge.read.fetchComments(of, signal);
  const shown = run.post ? comments : await withPlan(run, redis, { comments, facts });
  const found = verdictIn(run.target, { comments: shown, facts });
  const history = found?.history ?? historyOf(run.target, shown);
  const draft = await draftOf(asked, history);
  const reviewed = found?.reviewed ?? null;
  const reason = reviewed === null ? await lastReason(asked, askedAtMs) : null;
  return { facts, history, reviewed, draft, isNew: true, isPosted: run.post && found !== null, reason };
};

type Shown = { readonly comments: readonly ForgeComment[]; readonly facts: ChangeRequestFacts };
type Found = Pick<RemoteReading, 'facts' | 'history' | 'reviewed'>;

const historyOf = ({ of, config, self, author }: ConnectedTarget, comments: readonly ForgeComment[]): History => {
  const previous = config.forges.find(({ id }) => id === of.forge)?.previousBotUserIds ?? [];
  const botIds = new Set([self.id, ...previous, ...(author === null ? [] : [author.id])]);
  return rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets: markerSecretsOf(config.secrets) });
};

/** Returns null when the current input has no verdict. */
const verdictIn = (target: ConnectedTarget, { comments, facts }: Shown): Found | null => {
  const history = historyOf(target, comments);
  const input = inputOf(facts);
  const reviewed = findInput(history.reviewed, input) ?? null;
  return reviewed === null && !history.closed.some((known) => mayBeSameInput(known, input))
    ? null
    : { facts, history, reviewed };
};

const readVerdict = async (target: ConnectedTarget, signal: AbortSignal): Promise<Found | null> => {
  const comments = await target.forge.read.fetchComments(target.of, signal);
  return verdictIn(target, { comments, facts: target.facts });
};

const draftOf = async ({ config, redis }: AskedReview, { summary }: History): Promise<ReviewDraft | null> => {
  if (summary === null) return null;
  const keys = createKeys(config.redis.prefix);
  return createDocumentStore(redis, ReviewDraft).load(keys.ofRun(summary.marker.run, 'draft'));
};

const ENDS: readonly PostPlan['kind'][] = ['give_up', 'cap', 'carried', 'review'];

/** Adds the posted plan to the comments. The store holds only this change request. */
const withPlan = async (
  { target }: RemoteRun,
  redis: Redis,
  { comments, facts }: Shown,
): Promise<readonly ForgeComment[]> => {
  const keys = await redis.keys(`${createKeys(target.config.redis.prefix).plan('')}*`);
  const store = createDocumentStore(redis, PostPlan);
  const plans = (await Promise.all(keys.map(async (key) => store.load(key))))
    .filter((plan) => plan !== null)
    .filter(({ head, kind }) => head === facts.head && ENDS.includes(kind))
    .toSorted((one, other) => ENDS.indexOf(one.kind) - ENDS.indexOf(other.kind));
  const [secret] = markerSecretsOf(target.config.secrets);
  const last = plans.at(-1);
  const bot = target.author ?? target.self;
  return last === undefined ? comments : imaginePosted(last, { comments, bot, secret, nowMs: Date.now() });
};

const LOOK_AGAIN_MS = 5_000;

const untilSettled = async (run: RemoteRun, asked: AskedReview, signal: AbortSignal): Promise<void> => {
  let lookedAtMs = performance.now();
  let told = '';
  let other: RunId | null = null;
  await untilKnown(async () => {
    await assertNoMistake(asked);
    const state = await settledState(asked);
    if (state === null) return null;
    if (isIdle(state)) return (await isPosting(asked)) ? null : true;
    const isOther = performance.now() - lookedAtMs >= LOOK_AGAIN_MS && (await isElsewhere(asked, state));
    if (isOther || state.running?.elsewhere === true) other = state.running?.runId ?? null;
    const step = other !== null && state.running?.runId === other ? ELSEWHERE : stepOf(state, run.post);
    if (step !== told) {
      run.onProgress(step);
      followModel(run, asked, state);
    }
    told = step;
    if (isOther) {
      lookedAtMs = performance.now();
      await wakeGuard(asked);
    }
    return null;
  }, signal);
};

const followModel = ({ follow }: RemoteRun, { config, redis }: AskedReview, { running }: GuardState): void => {
  if (running?.phase !== 'reviewing') return follow?.(null);
  const transcripts = transcriptsOf(redis, createKeys(config.redis.prefix), config.transcripts);
  follow?.(async () => workOf(await transcripts.load(running.runId)));
};

/** True if another process has announced the run. Then only the forge shows when the run has ended. */
const isElsewhere = async ({ config, redis }: AskedReview, { running }: GuardState): Promise<boolean> => {
  if (running?.phase !== 'reviewing') return false;
  const key = createKeys(config.redis.prefix).ofRun(running.runId, 'brief');
  return (await createDocumentStore(redis, Brief).load(key)) === null;
};

const ELSEWHERE = 'another process is reviewing this change request: waiting to use its result';

const STEPS: Readonly<Record<NonNullable<GuardState['running']>['phase'], string>> = {
  announcing: 'announcing the review',
  reviewing: 'reviewing',
  waiting_ci: 'waiting for CI',
  posting: 'posting',
  giving_up: 'giving up',
};

const QUIET_STEPS: typeof STEPS = {
  ...STEPS,
  announcing: 'preparing the review',
  posting: 'putting the result together',
};

const stepOf = ({ running, quiet, reportWait }: GuardState, post: boolean): string => {
  if (running !== null) {
    const step = post ? STEPS[running.phase] : QUIET_STEPS[running.phase];
    return `${step} (review ${running.review}, attempt ${running.attempt})`;
  }
  if (reportWait !== null && Date.now() < reportWait.untilMs)
    return 'waiting for a CI job that makes a report, or for a free slot';
  return quiet === null ? 'waiting for a free slot' : 'waiting until no more pushes arrive';
};

/** Throws on a configuration mistake, because otherwise the review would wait until somebody corrects it. */
const assertNoMistake = async ({ config, redis }: AskedReview): Promise<void> => {
  const [mistake] = await listMistakes(redis, createKeys(config.redis.prefix), Date.now());
  if (mistake !== undefined) throw new UsageError(mistakeText(mistake));
};
