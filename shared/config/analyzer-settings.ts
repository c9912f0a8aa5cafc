/** `[[analyzer]]`: the operator's linters, whose reports become findings. None of them comes from a repository. */
import { z } from 'zod';
import { AnalyzerName, LevelSeverity, AnalyzerFormat } from '../vocabulary/analyzer.ts';
import { inScope, parseProjectScope } from './projects/project-scope.ts';
import { AbsolutePath, PathPatterns, ProjectPattern } from './values.ts';

/** Stands for the changed files, as one argument each. */
export const FILES_ARGUMENT = '{files}';

const COMMON = {
  name: AnalyzerName,
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
};

/** A program that runs in the cage and writes its report to standard output. */
const CommandAnalyzer = z.strictObject({
  ...COMMON,
  from: z.literal('command').optional(),
  /** The absolute path of a program in the cage, and its arguments. */
  command: z
    .tuple([AbsolutePath], z.string().max(4096))
    .refine((words) => words.filter((word) => word === FILES_ARGUMENT).length <= 1, {
      message: 'expected {files} at most once',
    }),
  format: AnalyzerFormat,
  /** With any other code the analyzer has failed. 126 and 127 always mean that the program was not started. */
  exitCodes: z.array(z.int().min(0).max(125)).min(1).max(20).default([0, 1]),
  timeoutS: z.int().min(1).max(3600).default(120),
  /** If true, the analyzer works in a temporary in-memory copy of the tree. If false, the tree is read-only. */
  writable: z.boolean().default(false),
});
export type CommandAnalyzer = z.output<typeof CommandAnalyzer>;

/** A report that a CI job of the head uploads. The guard fetches it, because the reviewer has no token of the forge. */
const ArtifactAnalyzer = z.strictObject({
  ...COMMON,
  from: z.literal('ci-artifact'),
  job: z.string().regex(/^[^\p{Cc}]{1,255}$/u, 'expected the exact name of a CI job'),
  /** The path of the report in the archive that the job uploads. */
  artifact: z
    .string()
    .max(1024)
    .refine((path) => !/\p{Cc}/u.test(path) && path.split('/').every((part) => !/^\.*$/.test(part)), {
      message: 'expected a path in the archive of the job, without a leading "/", "." and ".."',
    }),
  format: AnalyzerFormat.default('sarif'),
});
export type ArtifactAnalyzer = z.output<typeof ArtifactAnalyzer>;

const Analyzer = z.discriminatedUnion('from', [CommandAnalyzer, ArtifactAnalyzer], {
  error: 'expected "command" or "ci-artifact"',
});
export type Analyzer = z.output<typeof Analyzer>;

export const isFromCi = (analyzer: Analyzer): analyzer is ArtifactAnalyzer => analyzer.from === 'ci-artifact';

export const AnalyzerSettings = z
  .array(Analyzer)
  .max(20)
  .refine((analyzers) => new Set(analyzers.map(({ name }) => name)).size === analyzers.length, {
    message: 'two analyzers have the same name; names must be unique',
  })
  .default([]);
export type AnalyzerSettings = z.output<typeof AnalyzerSettings>;

/** Returns the analyzers for heads of this project, in the order of the configuration. Null: the project is not known. */
export const analyzersFor = <Of extends Analyzer>(analyzers: readonly Of[], project: string | null): readonly Of[] =>
  analyzers.filter(({ projects }) => projects.length === 0 || inScope(parseProjectScope(projects), project));

/** The maximum time of all commands in seconds, because they run one after the other. */
export const longestAnalysisS = (analyzers: AnalyzerSettings): number =>
  analyzers.reduce((sum, analyzer) => sum + (isFromCi(analyzer) ? 0 : analyzer.timeoutS), 0);
