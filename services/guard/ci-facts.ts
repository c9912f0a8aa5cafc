/**
 * What the CI of a head says, read only when a round is ready that would pass with it, or when nothing but CI keeps the
 * reviewed head from a pass. Every other verdict stands without a call of the forge.
 */
import { hasForgeCode } from '../../shared/forge/errors.ts';
import { carriedVerdict } from '../../shared/rounds/model/carried.ts';
import { findReviewed, validationsOf } from '../../shared/rounds/plan/carried-plan.ts';
import { type CiReading, readCi } from '../../shared/rounds/model/ci.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import { withGrants } from '../../shared/rounds/model/grants.ts';
import { gate, gateTalk } from '../../shared/rounds/gate/gate.ts';
import { judgeDraft } from '../../shared/rounds/gate/judge-draft.ts';
import type { GuardState, Run } from '../../shared/rounds/model/state.ts';
import { inputOf, mayBeSameInput } from '../../shared/rounds/model/input.ts';
import { mayBeRepaired } from '../../shared/rounds/decide/restate.ts';
import { judgeAnswers } from '../../shared/rounds/plan/talk-plan.ts';
import { validationReasons } from '../../shared/rounds/model/validations.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps, KnownForge } from './deps.ts';
import { loadDraft } from './load-draft.ts';

export type CiQuestion = {
  readonly forge: Pick<KnownForge, 'read' | 'botIds'>;
  readonly of: ChangeRequest;
  readonly state: GuardState;
  readonly facts: Facts;
  readonly events: readonly InboxEvent[];
  readonly signal: AbortSignal;
};

type Deps = Pick<GuardDeps, 'drafts' | 'keys' | 'policy' | 'nowMs'>;

export const fetchCi = async (deps: Deps, question: CiQuestion): Promise<CiReading | null> => {
  const { forge, of, facts, state, signal } = question;
  const { changeRequest, history } = facts;
  if (changeRequest?.state !== 'open') return null;
  const { head } = changeRequest;
  const present = inputOf(changeRequest);
  const run = readyRunOf(question);
  const matters =
    run === null
      ? mayBeRepaired(state, history, present)
      : mayBeSameInput(run, present) && (await wouldPass(deps, run, question));
  if (!matters) return null;
  try {
    const { targetBranch } = changeRequest;
    const { botIds } = forge;
    const checks = await forge.read.fetchChecks({ changeRequest: of, head, targetBranch, botIds }, signal);
    const nowMs = deps.nowMs();
    const sinceMs = state.firstSeen?.head === head ? state.firstSeen.atMs : nowMs;
    return readCi(checks, deps.policy.gate, { nowMs, untilMs: sinceMs + deps.policy.gate.ciGraceMs });
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return { kind: 'unreadable' };
    throw error;
  }
};

/** The run in progress, as it will be when it is decided about it. */
const readyRunOf = ({ state: { running }, events }: CiQuestion): Run | null => {
  if (running === null || running.phase === 'waiting_ci') return running;
  if (running.phase !== 'reviewing') return null;
  const report = events.find(
    (event) => event.source === 'run' && event.runId === running.runId && ENDS.has(event.kind),
  );
  if (report?.source !== 'run') return null;
  return report.carried === undefined ? running : { ...running, carried: report.carried };
};

const ENDS: ReadonlySet<string> = new Set(['drafted', 'same_input']);

/** Whether nothing but CI can keep it from a pass. */
const wouldPass = async (deps: Deps, run: Run, { facts, state: { granted } }: CiQuestion): Promise<boolean> => {
  const { history, changeRequest } = facts;
  if (changeRequest === null) return false;
  if (run.carried !== undefined) {
    const entry = findReviewed(history.reviewed, run.carried);
    if (entry === undefined || carriedVerdict(entry, history.threads) !== 'lgtm') return false;
    return validationReasons(validationsOf(entry, run.carried)).length === 0;
  }
  const draft = await loadDraft(deps, run);
  if (draft === null) return false;
  const policy = withGrants(deps.policy, granted);
  if (run.talk !== undefined) {
    const gated = gateTalk(draft, history, { policy, talk: run.talk });
    return gated.violations.length === 0 && judgeAnswers({ history, gated, ci: null }).verdict === 'lgtm';
  }
  const gated = gate(draft, history, policy);
  return (
    gated.violations.length === 0 &&
    judgeDraft({ facts: changeRequest, history, draft, gated }).judgement.verdict === 'lgtm'
  );
};
