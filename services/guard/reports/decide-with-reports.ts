import { decide } from '../../../shared/rounds/decide/decide.ts';
import type { DecideInput, Decision } from '../../../shared/rounds/decide/decision.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { type CiReports, areReportsAwaited, type ReportForge } from './ci-reports.ts';

type Asked = {
  /** Those that use reports of CI. */
  readonly analyzers: CiReports['analyzers'];
  readonly forge: ReportForge;
  readonly of: ChangeRequest;
  readonly signal: AbortSignal;
};

/** CI jobs are read only if a review would begin now. If it must wait for one, the decision is made again with this fact. */
export const decideWithReports = async (
  input: DecideInput,
  { analyzers, forge, of, signal }: Asked,
): Promise<Decision> => {
  const decision = decide(input);
  const { changeRequest } = input.facts;
  if (analyzers.length === 0 || changeRequest === null || !beginsReview(decision)) return decision;
  const { head } = changeRequest;
  const { firstSeen } = input.state;
  const { ciGraceMs: graceMs, ciDeadlineMs: deadlineMs } = input.policy.gate;
  const { nowMs } = input;
  const firstSeenMs = firstSeen?.head === head ? firstSeen.atMs : nowMs;
  const awaits = await areReportsAwaited(
    { analyzers },
    { forge, of, head, signal },
    { nowMs, firstSeenMs, graceMs, deadlineMs },
  );
  return awaits ? decide({ ...input, facts: { ...input.facts, awaitsReports: true } }) : decision;
};

const beginsReview = ({ state: { outbox, wanted } }: Decision): boolean =>
  outbox.some(
    (effect) =>
      (effect.kind === 'acquire_slot' && wanted !== null) ||
      (effect.kind === 'announce' && effect.run.kind === 'review'),
  );
