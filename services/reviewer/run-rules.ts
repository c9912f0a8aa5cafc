import { isGrave } from '../../shared/rounds/blocking.ts';
import type { DraftFinding } from '../../shared/rounds/vocabulary.ts';
import { reviewByRules, type RulesReview } from '../../shared/rules/review-by-rules.ts';
import type { Packet } from './packet.ts';
import type { PacketThread } from './threads.ts';

/** The built-in rules over a packet: no model, no network. They look at open threads again at their moved places. */
export const runRules = async (packet: Packet, signal: AbortSignal): Promise<RulesReview> => {
  const review = await reviewByRules({
    files: packet.changed,
    openThreads: packet.openThreads.map(asRuleThread),
    headText: packet.headText,
    moved: ({ now }) => now,
    signal,
  });
  const isSaid = ({ path, severity }: DraftFinding): boolean => isGrave(severity) || !packet.quiet.has(path);
  return { ...review, findings: review.findings.filter(isSaid) };
};

const asRuleThread = (thread: PacketThread) => ({
  findingId: thread.id,
  severity: thread.severity,
  rule: thread.rule,
  path: thread.place.path,
  side: thread.place.side,
  line: thread.place.line,
  citedText: thread.citedText,
  legalActions: thread.legalActions,
  now: thread.now,
  replacedBy: thread.replacedBy ?? null,
});
