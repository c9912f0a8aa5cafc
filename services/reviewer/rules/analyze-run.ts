/** The analysis of one run: what the operator's analyzers and own rules found. */
import type { FileOfInterest } from '../../../shared/analyzers/analyze.ts';
import { type Analysis, mergeAnalyses, NO_ANALYSIS } from '../../../shared/rules/model/analysis.ts';
import type { AnalyzeFiles } from './analyze-packet.ts';
import { applyOwnRules, type OwnRules } from './apply-own-rules.ts';

export type RunAnalysis = {
  readonly load: () => Promise<Analysis | null>;
  readonly save: (analysis: Analysis) => Promise<void>;
  /** The operator's analyzers; undefined if there are none. */
  readonly analyzers: ((files: readonly FileOfInterest[], signal: AbortSignal) => Promise<Analysis>) | undefined;
  readonly own: OwnRules;
  /** True for an answer to people, which changes no code: then only the rules of threads are of interest. */
  readonly onlyThreads: boolean;
};

/** The result is stored, so that an execution after a wait or a crash does not run the analyzers again. */
export const analyzeRun =
  ({ load, save, analyzers, own, onlyThreads }: RunAnalysis): AnalyzeFiles =>
  async (asked, signal) => {
    const stored = await load();
    if (stored !== null) return stored;
    const files = onlyThreads ? asked.files.filter(({ rule }) => rule !== null) : asked.files;
    const made = mergeAnalyses([
      (await analyzers?.(files, signal)) ?? NO_ANALYSIS,
      await applyOwnRules(own, { ...asked, files }, signal),
    ]);
    if (analyzers !== undefined || own.sets.length > 0 || !isEmpty(made)) await save(made);
    return made;
  };

const isEmpty = ({ ran, hits, failed }: Analysis): boolean => ran.length + hits.length + failed.length === 0;
