/** One round of review over two commits: packet, runner, check. The server and the command line both end here. */
import { readRepositorySettings } from '../../shared/config/read-repository-settings.ts';
import type { ReviewDraft } from '../../shared/rounds/draft.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import { checkDraft, type DraftIdentity } from './check-draft.ts';
import { noteBrokenRules } from './guidelines.ts';
import { repositoryRulesOf, tightenLimits } from './tighten.ts';
import { buildPacket, type Packet, type PacketRequest, type PacketSource } from './packet.ts';
import type { Task } from './prompt.ts';
import type { Runner, RunnerResult, RunScope } from './runner.ts';
import { createRulesRunner } from './runners/rules.ts';

export type ReviewInput = {
  readonly identity: DraftIdentity;
  readonly request: PacketRequest;
  readonly task: Task;
  readonly scope: RunScope;
  readonly source: PacketSource;
  readonly runner: Runner;
  /** Takes our own secrets and known formats out before quotations are compared. */
  readonly redact: Redactor;
};

export type ReviewResult =
  | { readonly kind: 'draft'; readonly draft: ReviewDraft }
  | Exclude<RunnerResult, { readonly kind: 'draft' }>;

/** A change that is too large as a whole: there is no line of it to ask anybody about, and no verdict that could come of it. */
const isUnseen = ({ diff, omitted, openThreads }: Packet): boolean =>
  diff.files.length === 0 && omitted.length > 0 && openThreads.length === 0;

export const reviewOnce = async (input: ReviewInput): Promise<ReviewResult> => {
  const { identity, request, task, scope, source, runner, redact } = input;
  const { revisions, signal } = source;
  const asked = await readRepositorySettings(revisions, { target: request.targetHead, redact }, signal);
  const { limits, notes: clamped } = tightenLimits(source.limits, asked.settings);
  const packet = await buildPacket(request, { ...source, limits });
  const whoever = isUnseen(packet) ? createRulesRunner() : runner;
  const result = await whoever.run({ packet, task, revisions, scope }, signal);
  if (result.kind !== 'draft') return result;
  const draft = await checkDraft(identity, result.draft, { packet, redact });
  const broken = await noteBrokenRules(revisions, request.targetHead, signal);
  const repository = repositoryRulesOf(asked, { clamped: [...clamped, ...broken], diff: packet.diff });
  return { kind: 'draft', draft: repository === undefined ? draft : { ...draft, repository } };
};
