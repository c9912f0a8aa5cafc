/** One round of review over two commits: packet, runner, check. The server and the command line both end here. */
import type { ReviewDraft } from '../../shared/rounds/draft.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import { checkDraft, type DraftIdentity } from './check-draft.ts';
import { buildPacket, type PacketRequest, type PacketSource } from './packet.ts';
import type { Task } from './prompt.ts';
import type { Runner, RunnerResult, RunScope } from './runner.ts';

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

export const reviewOnce = async (input: ReviewInput): Promise<ReviewResult> => {
  const { identity, request, task, scope, source, runner, redact } = input;
  const packet = await buildPacket(request, source);
  const result = await runner.run({ packet, task, revisions: source.revisions, scope }, source.signal);
  if (result.kind !== 'draft') return result;
  return { kind: 'draft', draft: await checkDraft(identity, result.draft, { packet, redact }) };
};
