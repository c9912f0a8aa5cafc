/** Runs the operator's analyzers for a packet, when the rules first need them. */
import type { FileOfInterest } from '../../../shared/analyzers/analyze.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import { analyzerOf } from '../../../shared/vocabulary/analyzer.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';

/** Contract: runs the analyzers on these files of the head; a second execution of a run returns what the first stored. */
export type AnalyzeFiles = (files: readonly FileOfInterest[], signal: AbortSignal) => Promise<Analysis>;

export const withAnalysis = (packet: Packet, analyze: AnalyzeFiles | undefined, signal: AbortSignal): Packet => {
  if (analyze === undefined) return packet;
  let made: Promise<Analysis> | null = null;
  return { ...packet, analyze: () => (made ??= analyze(filesOfInterest(packet), signal)) };
};

const filesOfInterest = ({ changed, openThreads, closedThreads }: Packet): readonly FileOfInterest[] => [
  ...changed.map(({ path }) => ({ path, rule: null })),
  ...[...openThreads, ...closedThreads.filter(({ settled }) => settled !== undefined)].flatMap(fileOfThread),
];

const fileOfThread = ({ rule, place, now, replacedBy }: PacketThread): readonly FileOfInterest[] =>
  analyzerOf(rule) === null ? [] : [{ path: now?.path ?? replacedBy?.path ?? place.path, rule }];
