import type { FindingState } from './marker-payload.ts';
import type { DraftFinding, Severity } from '../../vocabulary/finding.ts';

/** Whether a finding blocks is computed from severity and relation. The model decides only for a P2. */
export const isBlocking = (claim: Pick<DraftFinding, 'severity' | 'relation' | 'blocking'>): boolean => {
  if (claim.relation === 'outside_diff') return false;
  switch (claim.severity) {
    case 'P0':
    case 'P1':
      return true;
    case 'P2':
      return claim.blocking;
    case 'P3':
      return false;
    default:
      return claim.severity satisfies never;
  }
};

/** Findings of these severities are never dropped as duplicates or because their code is unchanged. */
export const isGrave = (severity: DraftFinding['severity']): boolean => severity === 'P0' || severity === 'P1';

/** As long as an unverified claim exists, the only possible verdict is `inconclusive`. */
export const isUnverified = ({ state }: Pick<Weighed, 'state'>): boolean => state === 'unverified';

type Weighed = {
  readonly state: FindingState;
  readonly blocking: boolean;
  readonly severity: Severity;
  /** Set if the code is outside the diff of the current input. */
  readonly outside?: true | undefined;
};

export const stillBlocks = ({ state, blocking, severity, outside }: Weighed): boolean =>
  outside !== true &&
  state !== 'resolved' &&
  state !== 'dismissed' &&
  state !== 'unverified' &&
  (blocking || isGrave(severity));

/** While the change request has such a thread, no input gets `lgtm`. */
export const preventsPass = (thread: Weighed): boolean => stillBlocks(thread) || isUnverified(thread);

export const bySeverity = (one: DraftFinding['severity'], other: DraftFinding['severity']): number =>
  one < other ? -1 : Number(one > other);
