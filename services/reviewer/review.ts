/** One round of review over two commits: packet, runner, check. The server and the command line both end here. */
import type { ReviewDraft } from '../../shared/rounds/draft.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import { checkDraft, type DraftIdentity } from './check-draft.ts';
import { buildPacket, type PacketRequest, type PacketSource } from './packet.ts';
import type { Runner } from './runner.ts';

export type ReviewInput = {
  readonly identity: DraftIdentity;
  readonly request: PacketRequest;
  readonly source: PacketSource;
  readonly runner: Runner;
  /** Takes our own secrets and known formats out before quotations are compared. */
  readonly redact: Redactor;
};

export const reviewOnce = async ({ identity, request, source, runner, redact }: ReviewInput): Promise<ReviewDraft> => {
  const packet = await buildPacket(request, source);
  const draft = await runner.run(packet, source.signal);
  return checkDraft(identity, draft, { packet, redact });
};
