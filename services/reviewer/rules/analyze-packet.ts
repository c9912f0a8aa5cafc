/** Runs the operator's analyzers and own rules for a packet, when the rules first need them. */
import type { FileOfInterest } from '../../../shared/analyzers/analyze.ts';
import type { Analysis } from '../../../shared/rules/model/analysis.ts';
import { analyzerOf } from '../../../shared/vocabulary/analyzer.ts';
import { isLink } from '../packet/open-files.ts';
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

const filesToAnalyze = (packet: Packet): FilesToAnalyze => {
  const { changed, openThreads, closedThreads, headText } = packet;
  const texts = new Map(changed.map(({ path, text }) => [path, text]));
  return {
    files: [
      ...changed.map(({ path }) => ({ path, rule: null })),
      ...filesWithoutLines(packet),
      ...[...openThreads, ...closedThreads.filter(({ settled }) => settled !== undefined)].flatMap(fileOfThread),
    ],
    textOf: async (path) => texts.get(path) ?? (await headText(path)),
  };
};

/** Files that were removed, or only renamed, in a language that only an analyzer may know. A link is in no language. */
const filesWithoutLines = ({ diff, kinds }: Packet): readonly FileOfInterest[] =>
  diff.files
    .filter((file) => kinds.get(file.newPath)?.kind === 'unknown' && file.complete && !isLink(file))
    .filter(({ status, hunks }) => status === 'deleted' || hunks.length === 0)
    .map(({ newPath }) => ({ path: newPath, rule: null, hasNoLines: true }));

const fileOfThread = ({ rule, alsoRules = [], place, now, replacedBy }: PacketThread): readonly FileOfInterest[] =>
  [rule, ...alsoRules]
    .filter((each) => analyzerOf(each) !== null)
    .map((each) => ({ path: now?.path ?? replacedBy?.path ?? place.path, rule: each }));
