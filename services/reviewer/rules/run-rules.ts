import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { DraftFinding, Place } from '../../../shared/vocabulary/finding.ts';
import { createCovers, NO_ANALYSIS } from '../../../shared/rules/model/analysis.ts';
import { isKnownRule, needsParse } from '../../../shared/rules/recheck.ts';
import { reviewByRules, type RulesReview } from '../../../shared/rules/review-by-rules.ts';
import { reviewSettled, type SettledReview } from '../../../shared/rules/review-settled.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';
import { scanRest } from './scan-rest.ts';

export type PacketReview = RulesReview & SettledReview & { readonly silent: readonly FindingId[] };

/** Applies the built-in rules to a packet, without a model or network. Open threads are checked at their moved places. */
export const runRules = async (packet: Packet, signal: AbortSignal): Promise<PacketReview> => {
  const analysis = await packet.analyze?.();
  const review = await reviewByRules({
    analysis,
    files: packet.changed,
    openThreads: packet.openThreads.map(asRuleThread),
    headText: packet.headText,
    moved: ({ now }) => now,
    signal,
  });
  const isSaid = ({ path, severity }: DraftFinding): boolean => isGrave(severity) || !packet.quiet.has(path);
  const looking = {
    headText: packet.headText,
    moved: ({ now }: { readonly now: Place | null }) => now,
    analysis,
    signal,
  };
  const settled = await reviewSettled(packet.closedThreads.flatMap(asSettledThread), looking);
  const rest = await scanRest(packet.scanOnly, signal);
  return {
    ...review,
    ...settled,
    findings: [...review.findings.filter(isSaid), ...rest.findings],
    omitted: [...review.omitted, ...rest.omitted],
    scanned: new Set([...review.scanned, ...rest.scanned]),
    silent: silentIn(review, packet, createCovers(analysis ?? NO_ANALYSIS)),
  };
};

/** Threads whose rule no longer fires. Threads of unknown rules and in files that could not be parsed completely are not included. */
const silentIn = (
  { answers, parsed, scanned }: RulesReview,
  { openThreads }: Packet,
  covers: ReturnType<typeof createCovers>,
): readonly FindingId[] =>
  openThreads
    .filter(({ rule, now, place, replacedBy }) => {
      const path = now?.path ?? replacedBy?.path ?? place.path;
      if (covers(rule, path)) return true;
      return rule !== null && isKnownRule(rule) && (needsParse(rule) ? parsed.has(path) : scanned.has(path));
    })
    .filter(({ id }) => answers.some(({ findingId, stance }) => findingId === id && stance === 'accepts'))
    .map(({ id }) => id);

const asSettledThread = (thread: PacketThread) => {
  const { rule, settled, settledText = null, since = null, place } = thread;
  if (rule === null || settled === undefined) return [];
  const file = since?.files.find(({ oldPath, status }) => oldPath === place.path && status !== 'copied');
  const lines = file === undefined || file.binary ? [] : file.hunks.flatMap((hunk) => hunkLines(hunk));
  const removedLines = new Set(lines.flatMap(({ kind, oldLine }) => (kind === 'removed' ? (oldLine ?? []) : [])));
  return [{ ...asRuleThread(thread), rule, before: settledText === null ? null : { text: settledText, removedLines } }];
};

const asRuleThread = (thread: PacketThread) => ({
  findingId: thread.id,
  severity: thread.severity,
  rule: thread.rule,
  alsoRules: thread.alsoRules,
  path: thread.place.path,
  side: thread.place.side,
  line: thread.place.line,
  citedText: thread.citedText,
  legalActions: thread.legalActions,
  blocks: thread.blocking || isGrave(thread.severity),
  required: thread.handling === 'must',
  listed: thread.listed,
  now: thread.now,
  replacedBy: thread.replacedBy ?? null,
  isChanged: thread.isChanged,
});
