import { alsoWithoutBoundary } from '../../shared/agent/boundary.ts';
import { ModelError } from '../../shared/agent/model/model-errors.ts';
import { readRepositorySettings } from './rules/read-repository-settings.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { type RuleFound, rulesFoundIn } from '../../shared/rounds/model/posting/rules-told.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import { MAX_MODEL_NAME, MAX_OTHER_BASES } from '../../shared/rounds/model/marker-payload.ts';
import { hashOfAskedRules } from './rules/asked-rules.ts';
import { checkDraft, type DraftIdentity } from './check-draft.ts';
import { type Ignoring, ignoredBy } from './rules/project-ignores.ts';
import { type AnalyzeFiles, withAnalysis } from './rules/analyze-packet.ts';
import { noteBrokenRules } from './rules/guidelines.ts';
import { repositoryRulesOf, tightenLimits } from './rules/tighten.ts';
import { buildPacket } from './packet/build-packet.ts';
import type { Packet, PacketRequest, PacketSource } from './packet/packet.ts';
import type { ReviewTask } from './run/prompt.ts';
import type { Runner, RunnerDraft, RunnerResult, RunScope } from './run/runner.ts';
import { runRules } from './rules/run-rules.ts';
import { createRulesRunner, RULES_RUNNER } from './runners/rules.ts';

export type ReviewInput = {
  readonly identity: DraftIdentity;
  readonly request: PacketRequest;
  readonly task: ReviewTask;
  readonly scope: RunScope;
  readonly source: PacketSource;
  readonly runner: Runner;
  readonly operatorRules: string;
  /** If absent, the project's `[[ignore]]` entries have no effect. */
  readonly ignoring?: Ignoring | undefined;
  /** Redacts our own secrets and known secret formats before quotes are compared. */
  readonly redact: Redactor;
  /** If absent, no analyzer runs. */
  readonly analyze?: AnalyzeFiles | undefined;
  /** Contract: stores the rules' findings for a run whose model produces no review. If absent, they are not stored. */
  readonly keepRules?: ((found: readonly RuleFound[]) => Promise<void>) | undefined;
};

export type ReviewResult =
  | { readonly kind: 'draft'; readonly draft: ReviewDraft }
  | Exclude<RunnerResult, { readonly kind: 'draft' }>;

/** True if the change is too large to show any of its lines: a model could not review it, so no verdict is possible. */
const isUnseen = ({ diff, omitted, openThreads }: Packet): boolean =>
  diff.files.length === 0 && omitted.length > 0 && openThreads.length === 0;

type Compared = Pick<ReviewDraft, 'rules' | 'otherBases'>;

const comparedWith = async (packet: Packet, { operatorRules, ignoring, source }: ReviewInput): Promise<Compared> => {
  const { revisions, signal } = source;
  const { targetHead: target, head, base, diff } = packet;
  const others = (await revisions.mergeBases(target, head, signal)).filter((each) => each !== base);
  const asked = { target, base, files: diff.files, operator: operatorRules, ignoring };
  return {
    rules: await hashOfAskedRules(revisions, asked, signal),
    ...(others.length === 0 ? {} : { otherBases: others.slice(0, MAX_OTHER_BASES) }),
  };
};

/** Code that only the rules have seen is new to a model, so a model gets the whole change. */
const comparable = (request: PacketRequest, runner: Runner): PacketRequest =>
  runner.name !== RULES_RUNNER && request.previous?.seenBy === 'rules' ? { ...request, previous: null } : request;

/** Keeps the rules' findings (above all secrets) if the model fails, because the rules need no model. */
const orKeepRules = async (
  { keepRules, source: { signal } }: ReviewInput,
  packet: Packet,
  work: () => Promise<RunnerResult>,
): Promise<RunnerResult> => {
  const keep = async (): Promise<void> => keepRules?.(rulesFoundIn((await runRules(packet, signal)).findings));
  try {
    const result = await work();
    if (result.kind === 'failed') await keep();
    return result;
  } catch (error) {
    // A later execution may still get an answer; if none does, these findings are reported.
    if (error instanceof ModelError && !signal.aborted) await keep();
    throw error;
  }
};

/** A model's quotes are compared with the files as the model saw them. */
const redactOf = ({ boundaries = [] }: RunnerDraft, redact: Redactor): Redactor =>
  boundaries.reduce(alsoWithoutBoundary, redact);

/** If another model took over, that model submitted the review. */
const namesOf = (
  { name, model: first }: Runner,
  { tookOver = [] }: RunnerDraft,
): Pick<ReviewDraft, 'runner' | 'model' | 'tookOver'> => ({
  runner: name,
  ...(first === undefined ? {} : { model: (tookOver.at(-1) ?? first).slice(0, MAX_MODEL_NAME) }),
  ...(first === undefined || tookOver.length === 0
    ? {}
    : {
        tookOver: { from: first.slice(0, MAX_MODEL_NAME), by: tookOver.map((each) => each.slice(0, MAX_MODEL_NAME)) },
      }),
});

export const reviewOnce = async (input: ReviewInput): Promise<ReviewResult> => {
  const { identity, request, task, scope, source, runner, redact } = input;
  const { revisions, signal } = source;
  const asked = await readRepositorySettings(revisions, { target: request.targetHead, redact }, signal);
  const { limits, notes: clamped } = tightenLimits(source.limits, asked.settings);
  const built = await buildPacket(comparable(request, runner), { ...source, limits });
  const packet = withAnalysis(built, input.analyze, signal);
  const chosen = isUnseen(packet) ? createRulesRunner() : runner;
  const result = await orKeepRules(input, packet, async () => chosen.run({ packet, task, revisions, scope }, signal));
  if (result.kind !== 'draft') return result;
  const checked = await checkDraft(identity, result.draft, { packet, redact: redactOf(result.draft, redact) });
  const draft = { ...checked, ...namesOf(chosen, result.draft), ...(await comparedWith(packet, input)) };
  const broken = await noteBrokenRules(revisions, request.targetHead, signal);
  const { ignores, notes } = ignoredBy(asked.settings, input.ignoring);
  const said = [...clamped, ...broken, ...notes];
  const repository = repositoryRulesOf(asked, { clamped: said, diff: packet.diff, ignores });
  return { kind: 'draft', draft: repository === undefined ? draft : { ...draft, repository } };
};
