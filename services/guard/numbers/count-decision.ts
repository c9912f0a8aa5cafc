/** Counts what a decision ended: verdicts, the time that they took, and what became of findings. For metrics only. */
import type { Metrics } from '../../../shared/metrics.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { Tally } from '../../../shared/rounds/model/posting/tally.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { TimedPart, type Timing } from '../../../shared/rounds/model/timing.ts';
import type { Verdict } from '../../../shared/vocabulary/finding.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

export type CountingDeps = {
  readonly metrics: Pick<
    Metrics,
    'reviews' | 'findings' | 'verdictSeconds' | 'verdictPartSeconds' | 'lastVerdict' | 'labelFor'
  >;
  readonly loadPlan: (planId: string) => Promise<PostPlan | null>;
  readonly nowMs: () => number;
};

export type Decided = {
  readonly of: ChangeRequest;
  readonly facts: Pick<Facts, 'history'>;
  readonly events: readonly InboxEvent[];
  readonly before: GuardState;
  /** As saved: its outbox has only the effects of this decision. */
  readonly after: GuardState;
  /** The times of the review that the decision ended. */
  readonly ended: Timing | null;
};

/** Called once per saved decision. A process that dies here loses the count, as it loses all of its counters. */
export const countDecision = async (deps: CountingDeps, decided: Decided): Promise<void> => {
  countDismissed(deps, decided);
  const run = postedRun(decided);
  const plan = run === null || run.planId === null ? null : await deps.loadPlan(run.planId);
  if (run === null || plan?.tally === undefined) return;
  count(deps, decided.of, plan.tally.findings);
  if (plan.tally.runner === null) return;
  const verdict = run.phase === 'giving_up' ? 'failed' : (plan.summary?.marker.verdict ?? 'inconclusive');
  countVerdict(deps, decided, { verdict, runner: plan.tally.runner });
};

/** The run whose result is on the forge since this decision. */
const postedRun = ({ before, after, events }: Decided): Run | null => {
  const run = before.running;
  if (run === null || after.running?.runId === run.runId) return null;
  if (run.phase !== 'posting' && run.phase !== 'giving_up') return null;
  const isReported = events.some(
    (event) => event.source === 'post' && event.planId === run.planId && event.outcome === 'posted',
  );
  // Guard also learns from the summary itself that a result was posted.
  return isReported || after.reviewed.length > before.reviewed.length ? run : null;
};

const count = ({ metrics }: CountingDeps, of: ChangeRequest, findings: Tally['findings']): void => {
  for (const { severity, outcome } of findings) metrics.findings.inc({ severity, outcome, ...metrics.labelFor(of) });
};

const countDismissed = (deps: CountingDeps, { of, facts, after }: Decided): void => {
  const dismissed = after.outbox.flatMap((effect) =>
    effect.kind === 'answer' && effect.say.kind === 'dismissed' ? [effect.say.findingId] : [],
  );
  const found = dismissed.flatMap((id) => facts.history.threads.findLast((thread) => thread.id === id) ?? []);
  count(
    deps,
    of,
    found.map(({ severity }) => ({ severity, outcome: 'dismissed' })),
  );
};

type Ending = { readonly verdict: Verdict | 'failed'; readonly runner: string };

const countVerdict = ({ metrics, nowMs }: CountingDeps, { of, ended }: Decided, { verdict, runner }: Ending): void => {
  const project = metrics.labelFor(of);
  metrics.reviews.inc({ verdict, runner, ...project });
  metrics.lastVerdict.set({ verdict }, nowMs() / 1000);
  if (ended === null) return;
  const parts = TimedPart.options.map((part) => ({ part, seconds: ended.spentMs[part] / 1000 }));
  for (const { part, seconds } of parts) metrics.verdictPartSeconds.observe({ part }, seconds);
  metrics.verdictSeconds.observe(
    project,
    parts.reduce((sum, { seconds }) => sum + seconds, 0),
  );
};
