import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { Policy } from './policy.ts';
import type { Facts } from './facts.ts';
import type { Counts } from './counts.ts';
import type { History } from './history.ts';

export type PlanContext = {
  readonly facts: ChangeRequestFacts;
  readonly mention?: Facts['mention'];
  readonly history: History;
  /** Includes the rounds that commanders granted beyond the operator's caps. */
  readonly policy: Policy;
  /** Set when these counts may be newer than what the forge shows. */
  readonly counts?: Counts & {
    readonly granted: number;
    readonly grantedAtMs: readonly number[];
    readonly pauses: number;
  };
};
