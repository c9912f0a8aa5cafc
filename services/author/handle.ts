import type { FixJob } from '../../shared/queue/contracts.ts';
import type { Handler, JobContext } from '../../shared/queue/worker.ts';
import type { FixEvent } from '../../shared/rounds/model/events.ts';
import { StoredDocumentMissingError } from '../../shared/store/documents.ts';
import type { AuthorDeps } from './deps.ts';
import { type FixEnding, fixOnce } from './fix.ts';
import { timeLimit } from '../../shared/time-limit.ts';

/** Time for git, the forge and the store, in addition to the agent's time. */
const AROUND_MS = 300_000;

export const createFixHandler =
  (given: AuthorDeps): Handler<'fix'> =>
  async (job, context) => {
    const brief = await given.loadBrief(job.runId);
    if (brief === null) throw new StoredDocumentMissingError('the brief of the fix');
    const deps = given.depsOf === undefined ? given : given.depsOf(brief);
    if (deps === null) {
      await report(given, job, { kind: 'failed', code: 'AUTHOR_OFF' });
      return { kind: 'done' };
    }
    const forge = deps.forges.get(job.changeRequest.forge);
    if (forge === undefined) {
      await report(deps, job, { kind: 'failed', code: 'FORGE_NOT_CONFIGURED' });
      return { kind: 'done' };
    }
    const limits = { maxTurns: job.budget.maxTurns, maxRuntimeMs: job.budget.maxRuntimeS * 1000 };
    const signal = timeLimit(limits.maxRuntimeMs + validationMs(deps) + AROUND_MS, context.signal);
    const log = bound(context, job);
    const ending = await fixOnce({ deps, forge, brief, limits, log, signal });
    tell(log, ending);
    deps.checkpoint('before-report');
    await report(deps, job, ending);
    return { kind: 'done' };
  };

/** Validation may run twice: on the fix and, if the fix fails it, on the head. */
const validationMs = ({ validation }: AuthorDeps): number => 2 * validation.validationS * 1000;

const bound = (context: JobContext, { changeRequest: of, review, head }: FixJob): JobContext['log'] =>
  context.log.child({ forge: of.forge, project: of.projectId, changeRequest: of.number, review, headSha: head });

const tell = (log: JobContext['log'], ending: FixEnding): void => {
  const code = ending.kind === 'fixed' ? null : ending.code;
  const refused = ending.kind === 'stopped' ? ending.refusals.slice(0, 20) : [];
  log.info({ outcome: ending.kind, code, refused }, 'fix ended');
};

export const reportLostFix =
  (deps: AuthorDeps) =>
  async (job: FixJob, code: string): Promise<void> =>
    report(deps, job, { kind: 'failed', code });

type Reported = Pick<FixEvent, 'kind'> & { readonly code?: string; readonly pushed?: FixEvent['pushed'] };

const report = async (
  deps: AuthorDeps,
  { changeRequest, runId }: FixJob,
  { kind, code, pushed }: Reported,
): Promise<void> => {
  const id = `${kind}-${runId}`;
  const atMs = deps.nowMs();
  await deps.deliver(changeRequest, {
    source: 'fix',
    kind,
    id,
    atMs,
    runId,
    code: code?.slice(0, 80) ?? null,
    pushed: pushed ?? null,
  });
};
