/** What every plan is built from. */
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { Policy } from './policy.ts';
import type { Facts } from './facts.ts';
import type { History } from './history.ts';

export type PlanContext = {
  readonly facts: ChangeRequestFacts;
  readonly mention?: Facts['mention'];
  readonly history: History;
  /** With what commanders granted beyond the operator's caps. */
  readonly policy: Policy;
  /** Counts that the forge may not show yet. */
  readonly counts?: { readonly granted: number; readonly pauses: number };
};
