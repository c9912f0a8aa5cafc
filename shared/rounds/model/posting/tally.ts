/** What a plan counts for once it is posted. For metrics only. */
import { z } from 'zod';
import { Severity } from '../../../vocabulary/finding.ts';
import type { GateResult, Handled } from '../gate-result.ts';

export const FindingOutcome = z.enum(['raised', 'unverified', 'resolved', 'vetoed', 'escalated', 'dismissed']);
export type FindingOutcome = z.output<typeof FindingOutcome>;

export const CountedFinding = z.object({ severity: Severity, outcome: FindingOutcome });
export type CountedFinding = z.output<typeof CountedFinding>;

export const Tally = z.object({
  /** The kind of runner; `carried` for a verdict that was carried over, `none` if nobody reviewed. Null for an answer in threads. */
  runner: z.string().max(64).nullable(),
  findings: z.array(CountedFinding).max(1_000),
});
export type Tally = z.output<typeof Tally>;

/** A finding that an interrupted attempt has already posted was not counted, because that attempt did not end. */
export const countGated = ({ accepted, unverified, handled }: GateResult): Tally['findings'] => [
  ...accepted.map(({ finding }) => ({ severity: finding.claim.severity, outcome: 'raised' as const })),
  ...unverified.map(({ finding }) => ({ severity: finding.claim.severity, outcome: 'unverified' as const })),
  ...countHandled(handled),
];

/** A thread that stays open has no outcome yet. */
export const countHandled = (handled: readonly Handled[]): Tally['findings'] =>
  handled.flatMap(({ thread, next }) =>
    next.state === 'open' || next.state === thread.state ? [] : [{ severity: next.severity, outcome: next.state }],
  );
