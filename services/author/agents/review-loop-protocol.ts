/** The review-loop protocol: sends `review_feedback` with a findings packet and expects `review_addressed`. */
import { feedbackForFix } from '../../../shared/protocol/round/fix-feedback.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { printPacket } from '../../../shared/protocol/packet-text.ts';
import { readAddressed } from '../../../shared/protocol/read-addressed.ts';
import { utcSecond } from '../../../shared/vocabulary/utc-text.ts';
import type { FixAccount, FixTask } from '../change/agent.ts';
import type { CommandProtocol, Told } from './command-protocol.ts';

export type ReviewLoopSettings = {
  readonly ownName: string;
  readonly nowMs: () => number;
};

const PACKET = 'findings.yaml';

const MAX_REASON = 2_000;
const MAX_SUMMARY = 4_000;

export const createReviewLoopProtocol = (settings: ReviewLoopSettings): CommandProtocol => ({
  name: 'messages',
  tell: (task, folder) => tell(settings, task, folder),
  read: (stdout, task) => {
    const reading = readAddressed(stdout, { round: task.review, head: task.head });
    return reading.kind === 'refused' ? null : workOf(reading.body, task);
  },
});

const tell = ({ ownName, nowMs }: ReviewLoopSettings, task: FixTask, folder: string): Told => {
  const { review, head, findings, limits, changeRequest } = task;
  const at = nowMs();
  const packetPath = `${folder}/${PACKET}`;
  const order = { round: review, head, findings, packetPath, expiresAtUtc: utcSecond(at + limits.maxRuntimeMs) };
  const { message, packet } = feedbackForFix(order, {
    from: ownName,
    // The sender of a message must not also be its recipient.
    to: ownName === 'author' ? 'fixer' : 'author',
    pr: changeRequest.number,
    topic: `${changeRequest.forge}-${changeRequest.projectId}`,
    createdAtUtc: utcSecond(at),
    key: task.runId,
  });
  return { input: printMessage(message), files: { [PACKET]: printPacket(packet) } };
};

type Account = { readonly changes_summary: string; readonly addressed_finding_ids?: readonly string[] | undefined };

/**
 * If an answer lists addressed findings, the other findings count as declined. An answer without a list reports no
 * finding as addressed or declined.
 */
const workOf = ({ changes_summary: said, addressed_finding_ids: ids }: Account, { findings }: FixTask): FixAccount => {
  const summary = said.slice(0, MAX_SUMMARY);
  if (ids === undefined) return { summary, addressed: null, declines: [] };
  const named = new Set(ids);
  const given = findings.map(({ id }) => id);
  const reason = said.trim().slice(0, MAX_REASON);
  return {
    summary,
    addressed: given.filter((id) => named.has(id)),
    declines: given.filter((id) => !named.has(id)).map((findingId) => ({ findingId, reason })),
  };
};
