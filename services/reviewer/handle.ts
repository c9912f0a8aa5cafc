import { withSources } from '../../shared/rule-sources/connect.ts';
import type { LoadedSource } from '../../shared/rule-sources/load-source.ts';
import { AppError } from '../../shared/errors.ts';
import { MODEL_REFUSED, type Trouble } from '../../shared/outage/outage.ts';
import type { ReviewJob } from '../../shared/queue/contracts.ts';
import type { Handler, JobContext } from '../../shared/queue/worker.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { Carried } from '../../shared/rounds/model/carried.ts';
import { mayBeSameInput } from '../../shared/rounds/model/input.ts';
import type { ValidationResult } from '../../shared/rounds/model/validations.ts';
import { endedBy, outageEvent } from '../../shared/outage/report-outage.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import { earlierHeads } from './earlier-heads.ts';
import type { Git } from '../../shared/workspace/git/git.ts';
import { type MirrorAccess, openHeadIn, openMirrorOf, roomFor } from '../../shared/workspace/mirror/open-head.ts';
import type { Mirror } from '../../shared/workspace/mirror/mirror.ts';
import { onSoundMirror } from '../../shared/workspace/mirror/sound-mirror.ts';
import type { Revisions } from '../../shared/workspace/git/revisions.ts';
import type { ReviewerDeps } from './deps.ts';
import type { ParentJob } from './queued-explorers.ts';
import { reviewOnce } from './review.ts';
import type { AnalyzeFiles } from './rules/analyze-packet.ts';
import { analyzeRun } from './rules/analyze-run.ts';
import { ignoringFor } from './rules/project-ignores.ts';
import { runBudgetMs } from './run-budget.ts';
import { findSameInput } from './same-input.ts';
import { taskOf } from './task.ts';
import { timeLimit } from '../../shared/time-limit.ts';

export const createReviewHandler =
  (given: ReviewerDeps): Handler<'review'> =>
  async (review, { signal, log, job }) => {
    const brief = await given.loadBrief(review.runId);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the run');
    const deps = given.depsOf?.(brief) ?? given;
    const budget = timeLimit(runBudgetMs(review, deps), signal);
    const ended = await runOnce(deps, { parent: { review, job }, brief, signal: budget, log });
    const { forge, projectId, number } = review.changeRequest;
    log.info(
      {
        forge,
        project: projectId,
        changeRequest: number,
        review: review.review,
        headSha: review.head,
        outcome: ended.kind,
      },
      END_WORDS[ended.kind] ?? 'run ended',
    );
    if (ended.kind === 'waits') return { kind: 'wait_for_children' };
    if (ended.kind === 'sleeps') return { kind: 'defer', delayMs: ended.delayMs };
    deps.checkpoint('before-report');
    await report(deps, review, ended);
    return { kind: 'done' };
  };

const END_WORDS: Readonly<Record<string, string>> = {
  waits: 'run waits for explorers',
  sleeps: 'run waits for an external reviewer',
};

/**
 * Tells guard that a run produced no draft. This counts as a failed attempt, unless the model could not answer because
 * of an outage.
 */
export const reportLostRun =
  (given: ReviewerDeps) =>
  async (job: ReviewJob, code: string, trouble: Trouble | null = null): Promise<void> => {
    const deps = await depsOfRun(given, job);
    return trouble !== null && !(await wasAnswered(deps, job))
      ? stop(deps, job, endedBy(trouble))
      : report(deps, job, { kind: 'failed', code });
  };

const depsOfRun = async (given: ReviewerDeps, { runId }: ReviewJob): Promise<ReviewerDeps> => {
  if (given.depsOf === undefined) return given;
  const brief = await given.loadBrief(runId);
  return brief === null ? given : given.depsOf(brief);
};

const wasAnswered = async (deps: ReviewerDeps, { runId }: ReviewJob): Promise<boolean> =>
  deps.wasAnswered === undefined || (await deps.wasAnswered(runId));

type Stop = Pick<Parameters<typeof outageEvent>[2], 'kind' | 'outage'>;

const stop = async (deps: ReviewerDeps, { changeRequest, runId }: ReviewJob, { kind, outage }: Stop): Promise<void> => {
  await deps.deliver(changeRequest, outageEvent(runId, runId, { kind, outage, atMs: deps.nowMs() }));
  await deps.runner.leave?.(changeRequest, runId);
};

const report = async (
  deps: ReviewerDeps,
  job: ReviewJob,
  ended: Exclude<Ended, { readonly kind: 'waits' | 'sleeps' }>,
): Promise<void> => {
  const { kind } = ended;
  // Every run fails in the same way until the operator changes the configuration, so a retry does not help.
  if (kind === 'failed' && MODEL_REFUSED.has(ended.code)) {
    const outage = { what: 'model', code: ended.code } as const;
    await deps.noteMistake?.(outage);
    if (!(await wasAnswered(deps, job))) return stop(deps, job, { kind: 'misconfigured', outage });
  }
  await deps.deliver(job.changeRequest, {
    source: 'run',
    kind,
    id: `${kind}-${job.runId}`,
    atMs: deps.nowMs(),
    runId: job.runId,
    code: kind === 'failed' ? ended.code : null,
    ...(kind === 'same_input' ? { carried: ended.carried } : {}),
  });
  await deps.runner.leave?.(job.changeRequest, job.runId);
};

type OneRun = {
  readonly parent: ParentJob;
  readonly brief: Brief;
  readonly signal: AbortSignal;
  readonly log: JobContext['log'];
};

type Ended =
  | { readonly kind: 'drafted' | 'superseded' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'sleeps'; readonly delayMs: number }
  | { readonly kind: 'same_input'; readonly carried: Carried }
  | { readonly kind: 'failed'; readonly code: string };

const runOnce = async (deps: ReviewerDeps, run: OneRun): Promise<Ended> => {
  const { signal } = run;
  const { review: job } = run.parent;
  if (await isSuperseded(deps, run)) return { kind: 'superseded' };
  const delayMs = (await deps.runner.sleepsFor?.(job.changeRequest, job.runId)) ?? null;
  if (delayMs !== null) return { kind: 'sleeps', delayMs };
  const access = deps.mirrors.get(job.changeRequest.forge);
  if (access === undefined) throw new WorkspaceUnavailableError('the forge is not configured');
  deps.checkpoint('before-fetch');
  return onSoundMirror(
    {
      open: async (opening) => openMirrorOf(access, job, opening),
      work: async (mirror) => reviewOn(mirror, access, { deps, run }),
      onDamaged: (err) => run.log.warn({ err }, 'the mirror of the project is damaged; fetching it again'),
      makeRoom: roomFor(access, job.changeRequest),
    },
    signal,
  );
};

type Reviewing = { readonly deps: ReviewerDeps; readonly run: OneRun };

const reviewOn = async (mirror: Mirror, access: MirrorAccess, { deps, run }: Reviewing): Promise<Ended> => {
  const { brief, signal } = run;
  const { review: job } = run.parent;
  const opened = await openHeadIn(
    mirror,
    access,
    {
      changeRequest: job.changeRequest,
      source: brief.git,
      head: job.head,
      targetBranch: brief.targetBranch,
      earlierHeads: earlierHeads(brief),
      evenIfMoved: job.mustFinish,
    },
    signal,
  );
  if (opened.kind === 'head_moved') return { kind: 'superseded' };
  if (opened.kind === 'missing') throw new WorkspaceUnavailableError(`the forge does not provide the ${opened.what}`);
  try {
    deps.checkpoint('before-review');
    const sources = (await deps.ruleSources?.load(brief, signal)) ?? [];
    const sourced = { ...run, sources, operatorRules: withSources(deps.operatorRulesOf(brief), sources) };
    const carried = await findCarried(deps, sourced, { access, git: mirror.git, revisions: opened.revisions });
    if (carried !== null) return carried;
    return await reviewOpened(deps, sourced, opened.revisions);
  } finally {
    opened.revisions.close();
  }
};

type Opened = { readonly access: MirrorAccess; readonly git: Git; readonly revisions: Revisions };

type SourcedRun = OneRun & {
  /** What the operator's sources hold for the project at this time. */
  readonly sources: readonly LoadedSource[];
  readonly operatorRules: string;
};

const findCarried = async (deps: ReviewerDeps, run: SourcedRun, opened: Opened): Promise<Ended | null> => {
  const { brief, signal, operatorRules } = run;
  const carried = await findSameInput(brief, {
    ...opened,
    limits: deps.limits,
    operatorRules,
    ignoring: ignoringFor(deps, brief),
    signal,
  });
  if (carried === null) return null;
  // Validation results of another head do not apply, because its base and machine may differ.
  const validations = await validationsOf(deps, run, opened.revisions);
  if (validations === null) return { kind: 'superseded' };
  if (validations.length === 0) return { kind: 'same_input', carried };
  return { kind: 'same_input', carried: { ...carried, validations: [...validations] } };
};

const reviewOpened = async (deps: ReviewerDeps, run: SourcedRun, revisions: Revisions): Promise<Ended> => {
  const { brief, signal, sources, operatorRules } = run;
  const { review: job } = run.parent;
  const result = await reviewOnce({
    identity: job,
    request: brief,
    task: taskOf(
      brief,
      await deps.loadNotes(job.changeRequest),
      sources.flatMap(({ guidelines }) => guidelines),
    ),
    scope: {
      runId: job.runId,
      changeRequest: job.changeRequest,
      ...job.budget,
      explorers: deps.explorersOf(run.parent),
      isSuperseded: async () => isSuperseded(deps, run),
    },
    source: { revisions, limits: deps.limits, signal },
    runner: deps.runner,
    operatorRules,
    ignoring: ignoringFor(deps, brief),
    redact: deps.redact,
    analyze: analyzeFor(deps, run, revisions),
    keepRules: brief.kind === 'reply' ? undefined : async (found) => deps.saveRulesFound(job.runId, found),
  });
  if (result.kind === 'failed' && result.rawText !== null) await deps.saveRawText(job.runId, result.rawText);
  if (result.kind !== 'draft') return result;
  const validations = brief.kind === 'reply' ? [] : await validationsOf(deps, run, revisions);
  if (validations === null || (await isSuperseded(deps, run))) return { kind: 'superseded' };
  deps.checkpoint('before-draft');
  await deps.saveDraft({ ...result.draft, validations: [...validations] });
  return { kind: 'drafted' };
};

const analyzeFor = (
  { analyzers, analyses }: ReviewerDeps,
  { brief, parent, sources }: SourcedRun,
  revisions: Revisions,
): AnalyzeFiles => {
  const { runId, changeRequest, head } = parent.review;
  const at = { revisions, runId, head, changeRequest, gitUrl: brief.git.url };
  return analyzeRun({
    load: async () => analyses.load(runId),
    save: async (analysis) => analyses.save(runId, analysis),
    analyzers: analyzers && (async (files, signal) => analyzers.analyze({ ...at, files }, signal)),
    own: { revisions, target: brief.targetHead, sets: sources.map(({ set }) => set) },
    onlyThreads: brief.kind === 'reply',
  });
};

const validationsOf = async (
  deps: ReviewerDeps,
  run: OneRun,
  revisions: Revisions,
): Promise<readonly ValidationResult[] | null> => {
  const { brief, parent, signal } = run;
  const { changeRequest, head } = parent.review;
  const isWanted = async (): Promise<boolean> => !(await isSuperseded(deps, run));
  return deps.validate({ revisions, head, isWanted, changeRequest, gitUrl: brief.git.url }, signal);
};

/** True if guard has abandoned the run, or if guard wants another input and the run need not finish. */
const isSuperseded = async (deps: ReviewerDeps, { brief, parent }: OneRun): Promise<boolean> => {
  const { review: job } = parent;
  if (!(await deps.isCurrent(job.changeRequest, job.runId))) return true;
  if (job.mustFinish) return false;
  const wanted = await deps.wantedInput(job.changeRequest);
  const { targetBranch: target, targetHead, mergeBase: base } = brief;
  return wanted !== null && !mayBeSameInput({ head: job.head, target, targetHead, base }, wanted);
};

export class WorkspaceUnavailableError extends AppError {
  constructor(reason: string) {
    super({
      code: 'WORKSPACE_UNAVAILABLE',
      message: `the change cannot be checked out for review: ${reason}`,
      disposition: { kind: 'retry' },
    });
  }
}
