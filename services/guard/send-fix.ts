import { buildFixBrief } from '../../shared/rounds/plan/build-fix-brief.ts';
import type { PlanContext } from '../../shared/rounds/model/posting/plan-context.ts';
import type { Fix } from '../../shared/rounds/model/fixes.ts';
import type { GuardDeps } from './deps.ts';

export type FixErrand = Pick<PlanContext, 'facts' | 'history'> & { readonly fix: Fix };

/** The job names the head to fix; the author refuses any other head. */
export const sendFix = async (deps: GuardDeps, errand: FixErrand, signal: AbortSignal): Promise<void> => {
  const { changeRequest } = errand.facts;
  const forge = deps.forges.get(changeRequest.forge);
  if (forge === undefined) return;
  const git = await forge.read.locateGit(changeRequest, signal);
  const { runId, head, review } = errand.fix;
  await deps.fixBriefs.save(
    deps.keys.ofRun(runId, 'fix-brief'),
    buildFixBrief({ ...errand, git, nowMs: deps.nowMs() }),
  );
  const job = { v: 1 as const, changeRequest, runId, head, review, budget: deps.fixBudget };
  await deps.enqueue('fix', job, { jobId: `fix-${runId}` });
};
