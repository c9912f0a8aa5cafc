/** Runs the operator's analyzers in the cage, without network, on a tree without git data or secrets. */
import { join } from 'node:path';
import type { Analyzer } from '../config/analyzer-settings.ts';
import { inScope, parseProjectScope } from '../config/projects/project-scope.ts';
import { compileGlob } from '../diff/paths/glob-match.ts';
import type { Analysis } from '../rules/model/analysis.ts';
import { analyzerOf } from '../vocabulary/analyzer.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import type { Revisions } from '../workspace/git/revisions.ts';
import { type Checkout, createCheckout } from '../workspace/tree/checkout.ts';
import { type Analyzed, isTreeFile, runAnalyzer } from './run-analyzer.ts';

/** A file at the head commit that was changed or has a thread about a rule. */
export type FileOfInterest = {
  readonly path: string;
  /** The rule of a thread in the file: then only its analyzer is interested. Null for a changed file. */
  readonly rule: string | null;
};

export type AnalyzedHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  /** `owner/name`; null if it is not known: then only analyzers for all projects run. */
  readonly project: string | null;
  readonly files: readonly FileOfInterest[];
};

export type Analyzing = {
  /** Null: then every analyzer has failed. */
  readonly cage: Cage | null;
  readonly analyzers: readonly Analyzer[];
  readonly checkoutFolder: string;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
};

type Job = { readonly analyzer: Analyzer; readonly files: readonly string[] };

/** @throws the errors of `createCheckout`; the signal's reason when aborted. */
export const analyze = async (
  { revisions, head, project, files }: AnalyzedHead,
  { cage, analyzers, checkoutFolder, nowMs }: Analyzing,
  signal: AbortSignal,
): Promise<Analysis> => {
  const jobs = jobsOf(analyzersFor(analyzers, project), files);
  if (jobs.length === 0) return { v: 1, ran: [], hits: [], failed: [] };
  if (cage === null) return withoutCage(jobs);
  const checkout = await createCheckout({ revisions, folder: checkoutFolder }, head, signal);
  try {
    const analysis = emptyAnalysis();
    for (const job of jobs) await runJob(job, { checkout, cage, nowMs, analysis }, signal);
    return analysis;
  } finally {
    await checkout.dispose();
  }
};

/** Returns the analyzers for heads of this project, in the order of the configuration. */
export const analyzersFor = (analyzers: readonly Analyzer[], project: string | null): readonly Analyzer[] =>
  analyzers.filter(({ projects }) => projects.length === 0 || inScope(parseProjectScope(projects), project));

const jobsOf = (analyzers: readonly Analyzer[], files: readonly FileOfInterest[]): readonly Job[] =>
  analyzers.flatMap((analyzer) => {
    const globs = analyzer.paths.flatMap((pattern) => compileGlob(pattern) ?? []);
    const wanted = files
      .filter(({ rule }) => rule === null || analyzerOf(rule) === analyzer.name)
      .map(({ path }) => path)
      .filter((path) => globs.length === 0 || globs.some((glob) => glob.covers(path)));
    return wanted.length === 0 ? [] : [{ analyzer, files: [...new Set(wanted)].toSorted() }];
  });

type Growing = { -readonly [Key in keyof Analysis]: Analysis[Key] };

const emptyAnalysis = (): Growing => ({ v: 1, ran: [], hits: [], failed: [] });

const withoutCage = (jobs: readonly Job[]): Analysis => ({
  ...emptyAnalysis(),
  failed: jobs.map(({ analyzer }) => ({
    name: analyzer.name,
    reason: 'did not run: there is no cage on this machine',
  })),
});

type Running = Pick<Analyzing, 'nowMs'> & {
  readonly cage: Cage;
  readonly checkout: Checkout;
  readonly analysis: Growing;
};

const runJob = async (
  { analyzer, files }: Job,
  { checkout, cage, nowMs, analysis }: Running,
  signal: AbortSignal,
): Promise<void> => {
  const { name } = analyzer;
  const unseen = unseenOf(checkout, files);
  const { root } = checkout;
  const present: string[] = [];
  for (const path of files) if (await isTreeFile(join(root, path))) present.push(path);
  const tree = { cage, root, files: present, nowMs };
  // The file of a thread may no longer exist.
  const { hits, failure } = present.length === 0 ? NOTHING : await runAnalyzer(analyzer, tree, signal);
  analysis.hits.push(...hits);
  const reason = failure ?? unseen;
  if (reason === null) analysis.ran.push({ name, paths: present });
  else analysis.failed.push({ name, reason });
};

const NOTHING: Analyzed = { hits: [], failure: null };

/** A checkout has limits, and an analyzer cannot find anything in a file that is not there. */
const unseenOf = ({ skipped, complete }: Checkout, files: readonly string[]): string | null => {
  if (!complete) return 'did not see all files, because the repository has too many';
  const missing = skipped.filter(({ path }) => files.includes(path)).length;
  return missing === 0
    ? null
    : `did not see ${missing} files of the change, because they are too large or have odd names`;
};
