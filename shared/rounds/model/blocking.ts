import type { Thread } from './history.ts';
import type { DraftFinding } from '../../vocabulary/finding.ts';

/** Computed from severity and relation; the model's word counts for a P2 only. */
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

/** These are never dropped as duplicates or for standing on unchanged code. */
export const isGrave = (severity: DraftFinding['severity']): boolean => severity === 'P0' || severity === 'P1';

/** Nobody can say whether it holds: no verdict but `inconclusive` is true while it is there. */
export const isUnverified = ({ state }: Pick<Thread, 'state'>): boolean => state === 'unverified';

type Weighed = Pick<Thread, 'state' | 'blocking' | 'severity'>;

/** A finding that nobody has closed keeps a change from a pass. */
export const stillBlocks = ({ state, blocking, severity }: Weighed): boolean =>
  state !== 'resolved' && state !== 'dismissed' && state !== 'unverified' && (blocking || isGrave(severity));

/** No input passes while the change request has such a thread. */
export const preventsPass = (thread: Weighed): boolean => stillBlocks(thread) || isUnverified(thread);

/** Graver first; equal ones keep their order. */
export const bySeverity = (one: DraftFinding['severity'], other: DraftFinding['severity']): number =>
  one < other ? -1 : Number(one > other);
