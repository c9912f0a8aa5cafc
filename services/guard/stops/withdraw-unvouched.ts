/**
 * While the comments of the bot cannot be read, nothing is decided about a new input. An approval or a passing status of
 * an earlier input must not stay for it, so the poster is asked to withdraw them, once for each input.
 */
import type { ReadsChangeRequest } from '../../../shared/forge/port.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { Decisions } from '../../../shared/store/decisions.ts';
import { buildWithdrawPlan } from '../../../shared/rounds/plan/withdraw-plan.ts';
import { isOtherInput } from '../../../shared/rounds/decide/decision.ts';
import { inputKey, inputOf } from '../../../shared/rounds/model/input.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { type ChangeRequest, changeRequestKey } from '../../../shared/vocabulary/ids.ts';
import { noticeIdOf } from './notice-id.ts';

type WithdrawDeps = {
  readonly decisions: Pick<Decisions, 'append' | 'list'>;
  readonly policyOf: (projectPath: string | undefined) => Policy;
  readonly sendPlan: (plan: PostPlan) => Promise<void>;
  readonly nowMs: () => number;
};

export type Unvouched = {
  readonly forge: { readonly read: Pick<ReadsChangeRequest, 'fetchChangeRequest'> };
  readonly of: ChangeRequest;
  /** What guard decided before the comments became unreadable. Null if that is unknown. */
  readonly state: GuardState | null;
  readonly signal: AbortSignal;
};

const WITHDRAWN = 'the comments of the bot cannot be read: an approval must not stay for an input that has not passed';

/** The poster changes nothing if the forge shows that the input has passed. */
export const withdrawUnvouched = async (deps: WithdrawDeps, { forge, of, state, signal }: Unvouched): Promise<void> => {
  const facts = await forge.read.fetchChangeRequest(of, signal);
  if (facts?.state !== 'open') return;
  const input = inputOf(facts);
  const policy = deps.policyOf(facts.projectPath);
  const noticeId = noticeIdOf(changeRequestKey(of), inputKey(input));
  const pending = state !== null && isOtherInput(state, input);
  const plan = buildWithdrawPlan({ facts, policy }, { input, pending, noticeId });
  if (plan.forgeVerdict === null && !pending) return;
  if ((await deps.decisions.list(of)).some(({ events }) => events.includes(noticeId))) return;
  await deps.sendPlan(plan);
  const decision = { effect: 'withdraw_approval', reason: WITHDRAWN, head: input.head, events: [noticeId] };
  await deps.decisions.append(of, [{ atMs: deps.nowMs(), ...decision }]);
};
