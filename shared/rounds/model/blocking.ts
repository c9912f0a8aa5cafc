import type { Thread } from './history.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';

/** Computed from severity and relation. Only for a P2 does the model decide. */
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
export const isUnverified = ({ state }: Pick<Thread, 'state'>): boolean => state === 'unverified';

type Weighed = Pick<Thread, 'state' | 'blocking' | 'severity'>;

export const stillBlocks = ({ state, blocking, severity }: Weighed): boolean =>
  state !== 'resolved' && state !== 'dismissed' && state !== 'unverified' && (blocking || isGrave(severity));

/** While the change request has such a thread, no input gets `lgtm`. */
export const preventsPass = (thread: Weighed): boolean => stillBlocks(thread) || isUnverified(thread);

export const bySeverity = (one: DraftFinding['severity'], other: DraftFinding['severity']): number =>
  one < other ? -1 : Number(one > other);
