/** Reads the draft of a run that is ready, and CI if CI alone can keep its result or the reviewed head from passing. */
import { hasForgeCode } from '../../shared/forge/errors.ts';
import { type CiReading, readCi } from '../../shared/rounds/model/ci.ts';
import { decide } from '../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import { inputOf, mayBeSameInput } from '../../shared/rounds/model/input.ts';
import { mayBeRepaired } from '../../shared/rounds/decide/reevaluate-verdict.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { GuardDeps, KnownForge } from './deps.ts';

export type CiQuestion = {
  readonly forge: Pick<KnownForge, 'read' | 'botIds'>;
  readonly of: ChangeRequest;
  readonly state: GuardState;
  readonly facts: Facts;
  readonly events: readonly InboxEvent[];
  readonly signal: AbortSignal;
};

type Deps = Pick<GuardDeps, 'policy' | 'nowMs'>;

export const fetchCi = async (deps: Deps, question: CiQuestion): Promise<CiReading | null> => {
  const { forge, of, facts, state, signal } = question;
  const { changeRequest, history } = facts;
  if (changeRequest?.state !== 'open') return null;
  const { head } = changeRequest;
  const present = inputOf(changeRequest);
  const run = readyRunOf(question);
  const matters = run === null ? mayBeRepaired(state, history, present) : mayBeSameInput(run, present);
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

type Asked = Pick<CiQuestion, 'forge' | 'of' | 'signal'>;

/**
 * CI never counts for a result that cannot pass, so it is read only if the decision without it says that it counts. The
 * decision is then made again with the same time, and takes the same way.
 */
export const withCi = async (deps: Deps, input: DecideInput, asked: Asked): Promise<DecideInput> => {
  const { state, facts, events } = input;
  if (facts.ci !== null) return input;
  const isReady = readyRunOf({ state, events }) !== null;
  if (isReady && decide(input).asksCi !== true) return input;
  const ci = await fetchCi(deps, { ...asked, state, facts, events });
  return { ...input, facts: { ...facts, ci } };
};

/** Loads the draft of the run that is ready. Returns null if no run is ready or if the draft was lost. */
export const fetchDraft = async (
  { drafts, keys }: Pick<GuardDeps, 'keys'> & { readonly drafts: Pick<GuardDeps['drafts'], 'load'> },
  question: Pick<CiQuestion, 'state' | 'events'>,
): Promise<ReviewDraft | null> => {
  const run = readyRunOf(question);
  return run === null ? null : drafts.load(keys.ofRun(run.runId, 'draft'));
};

const readyRunOf = ({ state: { running }, events }: Pick<CiQuestion, 'state' | 'events'>): Run | null => {
  if (running === null || running.phase === 'waiting_ci') return running;
  const isReported = events.some(
    (event) => event.source === 'run' && event.runId === running.runId && RESULTS.has(event.kind),
  );
  return running.phase === 'reviewing' && isReported ? running : null;
};

const RESULTS: ReadonlySet<string> = new Set(['drafted', 'same_input']);
