/** `[[analyzer]]`: the operator's linters, whose reports become findings. None of them comes from a repository. */
import { z } from 'zod';
import { AnalyzerName, LevelSeverity, AnalyzerFormat } from '../vocabulary/analyzer.ts';
import { AbsolutePath, PathPatterns, ProjectPattern } from './values.ts';

/** Stands for the changed files, as one argument each. */
export const FILES_ARGUMENT = '{files}';

const Analyzer = z.strictObject({
  name: AnalyzerName,
  /** The absolute path of a program in the cage, and its arguments. It writes its report to standard output. */
  command: z
    .tuple([AbsolutePath], z.string().max(4096))
    .refine((words) => words.filter((word) => word === FILES_ARGUMENT).length <= 1, {
      message: 'expected {files} at most once',
    }),
  format: AnalyzerFormat,
  /** Patterns of files that the analyzer can check. If empty, it can check every file. */
  paths: PathPatterns,
  /** If empty, the analyzer checks every project of the configured forges. */
  projects: z.array(ProjectPattern).max(1000).default([]),
  severity: z
    .strictObject({
      error: LevelSeverity.default('P1'),
      warning: LevelSeverity.default('P2'),
      info: LevelSeverity.default('P3'),
    })
    .prefault({}),
  /** With any other code the analyzer has failed. 126 and 127 always mean that the program was not started. */
  exitCodes: z.array(z.int().min(0).max(125)).min(1).max(20).default([0, 1]),
  timeoutS: z.int().min(1).max(3600).default(120),
  /** If true, the analyzer works in a temporary in-memory copy of the tree. If false, the tree is read-only. */
  writable: z.boolean().default(false),
});
export type Analyzer = z.output<typeof Analyzer>;

export const AnalyzerSettings = z
  .array(Analyzer)
  .max(20)
  .refine((analyzers) => new Set(analyzers.map(({ name }) => name)).size === analyzers.length, {
    message: 'two analyzers have the same name; names must be unique',
  })
  .default([]);
export type AnalyzerSettings = z.output<typeof AnalyzerSettings>;

/** The maximum time of all analyzers in seconds, because they run one after the other. */
export const longestAnalysisS = (analyzers: AnalyzerSettings): number =>
  analyzers.reduce((sum, { timeoutS }) => sum + timeoutS, 0);
