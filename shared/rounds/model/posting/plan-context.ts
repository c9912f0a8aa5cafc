import type { ChangeRequestFacts } from '../../../forge/port-facts.ts';
import type { Policy } from '../policy.ts';
import type { Facts } from '../facts.ts';
import type { History } from '../history.ts';

export type PlanContext = {
  readonly facts: ChangeRequestFacts;
  readonly mention?: Facts['mention'];
  /** The history, including what guard has counted and the forge may not show yet. */
  readonly history: History;
  /** The policy, including the rounds that commanders granted beyond the operator's caps. */
  readonly policy: Policy;
};
