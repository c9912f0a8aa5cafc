import { NOTHING_SPENT } from '../../../shared/rounds/spent.ts';
import { reviewByRules } from '../../../shared/rules/review-by-rules.ts';
import type { PacketThread } from '../threads.ts';
import type { Runner } from '../runner.ts';

/** The built-in rules alone: no model, no network. They answer open threads by looking at the moved place again. */
export const createRulesRunner = (): Runner => ({
  name: 'rules',
  run: async (packet, signal) => {
    const startedAt = performance.now();
    const review = await reviewByRules({
      files: packet.changed,
      openThreads: packet.openThreads.map(asRuleThread),
      headText: packet.headText,
      moved: ({ now }) => now,
      signal,
    });
    const spent = { ...NOTHING_SPENT, turns: 1, wallMs: Math.round(performance.now() - startedAt) };
    return { ...review, findings: [...review.findings], answers: [...review.answers], spent };
  },
});

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
});
