/** Runs the operator's analyzers and own rules for a packet, when the rules first need them. */
import type { FileOfInterest } from '../../../shared/analyzers/analyze.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import { analyzerOf } from '../../../shared/vocabulary/analyzer.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';

export type FilesToAnalyze = {
  readonly files: readonly FileOfInterest[];
  /** Contract: the text of one of the files at the head; null if it does not exist. */
  readonly textOf: (path: string) => Promise<string | null>;
};

/** Contract: analyzes these files of the head; a second execution of a run returns what the first stored. */
export type AnalyzeFiles = (asked: FilesToAnalyze, signal: AbortSignal) => Promise<Analysis>;

export const withAnalysis = (packet: Packet, analyze: AnalyzeFiles | undefined, signal: AbortSignal): Packet => {
  if (analyze === undefined) return packet;
  let made: Promise<Analysis> | null = null;
  return { ...packet, analyze: () => (made ??= analyze(filesToAnalyze(packet), signal)) };
};

const filesToAnalyze = ({ changed, openThreads, closedThreads, headText }: Packet): FilesToAnalyze => {
  const texts = new Map(changed.map(({ path, text }) => [path, text]));
  return {
    files: [
      ...changed.map(({ path }) => ({ path, rule: null })),
      ...[...openThreads, ...closedThreads.filter(({ settled }) => settled !== undefined)].flatMap(fileOfThread),
    ],
    textOf: async (path) => texts.get(path) ?? (await headText(path)),
  };
};

const fileOfThread = ({ rule, place, now, replacedBy }: PacketThread): readonly FileOfInterest[] =>
  analyzerOf(rule) === null ? [] : [{ path: now?.path ?? replacedBy?.path ?? place.path, rule }];
