import { AppError } from '../../shared/errors.ts';
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { withCounts } from '../../shared/rounds/memory/reconcile.ts';
import type { Counts } from '../../shared/rounds/model/counts.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import type { PlanContext } from '../../shared/rounds/model/posting/plan-context.ts';
import { withGrants } from '../../shared/rounds/model/policy.ts';
import { type RepositoryRules, withDraftCap } from '../../shared/rounds/model/repository-rules.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps } from './deps.ts';

export type EffectContext = {
  readonly deps: GuardDeps;
  readonly of: ChangeRequest;
  readonly facts: Facts;
  /** The counts that `decide` returned, even if the forge does not show them yet. */
  readonly counts: Counts & Pick<GuardState, 'granted' | 'grantedAtMs' | 'pauses'>;
  /** True if only the sweep reported the change request. Absent means false. */
  readonly isSwept?: boolean;
  readonly signal: AbortSignal;
};

export class ChangeRequestGoneError extends AppError {
  constructor(of: ChangeRequest) {
    super({
      code: 'CHANGE_REQUEST_GONE',
      message: 'the forge no longer shows this change request',
      disposition: { kind: 'drop' },
      fields: { forge: of.forge, project: of.projectId, changeRequest: of.number },
    });
  }
}

/** @throws ChangeRequestGoneError if the forge no longer shows the change request. */
export const requireChangeRequest = ({ facts, of }: EffectContext): ChangeRequestFacts => {
  if (facts.changeRequest === null) throw new ChangeRequestGoneError(of);
  return facts.changeRequest;
};

/** `read`: the settings of the target branch that this review read. */
export const planContext = (context: EffectContext, read?: RepositoryRules): PlanContext => ({
  facts: requireChangeRequest(context),
  mention: context.facts.mention,
  history: withCounts(context.facts.history, context.counts),
  policy: withGrants(withDraftCap(context.deps.policy, read), context.counts.granted),
});
