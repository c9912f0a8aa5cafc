/** Runs the operator's analyzers in the cage, without network, on a tree without git data or secrets. */
import { join } from 'node:path';
import {
  type Analyzer,
  analyzersFor,
  type ArtifactAnalyzer,
  type CommandAnalyzer,
  isFromCi,
} from '../config/analyzer-settings.ts';
import { compileGlob } from '../diff/paths/glob-match.ts';
import type { Analysis } from '../rules/model/analysis.ts';
import { analyzerOf } from '../vocabulary/analyzer.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import type { Revisions } from '../workspace/git/revisions.ts';
import { type Checkout, createCheckout } from '../workspace/tree/checkout.ts';
import type { CiReport } from './ci/ci-report.ts';
import { readCiReport } from './read-ci-report.ts';
import { isTreeFile, runAnalyzer } from './run-analyzer.ts';
import type { Analyzed } from './settle-reports.ts';

/** A file at the head commit that was changed or has a thread about a rule. */
export type FileOfInterest = {
  readonly path: string;
  /** The rule of a thread in the file: then only its analyzer is interested. Null for a changed file. */
  readonly rule: string | null;
  /** Set if the change removed the file, or changed none of its lines: then there is nothing in it to check. */
  readonly hasNoLines?: true;
};

export type AnalyzedHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  /** `owner/name`; null if it is not known: then only analyzers for all projects run. */
  readonly project: string | null;
  readonly files: readonly FileOfInterest[];
  /** Contract: loads what was fetched of the report of this analyzer for this review; null if nothing is stored. */
  readonly ciReport: (name: string) => Promise<CiReport | null>;
};

export type Analyzing = {
  /** Null: then every command has failed. */
  readonly cage: Cage | null;
  readonly analyzers: readonly Analyzer[];
  readonly checkoutFolder: string;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
};

/** `changed`: the changed files in a language that the analyzer knows, with and without lines. */
type Job<Of extends Analyzer = Analyzer> = {
  readonly analyzer: Of;
  readonly files: readonly string[];
  readonly changed: readonly FileOfInterest[];
};

const isCommand = (job: Job): job is Job<CommandAnalyzer> => !isFromCi(job.analyzer);
const isReport = (job: Job): job is Job<ArtifactAnalyzer> => isFromCi(job.analyzer);

/** @throws the errors of `createCheckout`; GitError; the signal's reason when aborted. */
export const analyze = async (
  head: AnalyzedHead,
  { analyzers, ...means }: Analyzing,
  signal: AbortSignal,
): Promise<Analysis> => {
  const all = jobsOf(analyzersFor(analyzers, head.project), head.files);
  const jobs = all.filter(({ files }) => files.length > 0);
  const analysis = await runCommands(jobs.filter(isCommand), head, means, signal);
  for (const job of jobs.filter(isReport)) await readReport(job, head, analysis, signal);
  analysis.ran.push(...all.filter(({ files }) => files.length === 0).map((job) => ranOn(job, [])));
  return analysis;
};

/** `present`: the files that the analyzer checked. */
const ranOn = ({ analyzer: { name }, changed }: Job, present: readonly string[]): Analysis['ran'][number] => {
  const known = changed.filter(({ path, hasNoLines }) => hasNoLines === true || present.includes(path));
  return {
    name,
    paths: [...present],
    ...(known.length === 0 ? {} : { knows: known.map(({ path }) => path) }),
  };
};

const readReport = async (
  job: Job<ArtifactAnalyzer>,
  { ciReport, ...at }: AnalyzedHead,
  analysis: Growing,
  signal: AbortSignal,
): Promise<void> => {
  const { analyzer, files } = job;
  const { name } = analyzer;
  const { hits, failure, present } = await readCiReport(analyzer, await ciReport(name), { ...at, files }, signal);
  analysis.hits.push(...hits);
  if (failure === null) analysis.ran.push(ranOn(job, present));
  else analysis.failed.push({ name, reason: failure });
};

const runCommands = async (
  jobs: readonly Job<CommandAnalyzer>[],
  { revisions, head }: AnalyzedHead,
  { cage, checkoutFolder, nowMs }: Omit<Analyzing, 'analyzers'>,
  signal: AbortSignal,
): Promise<Growing> => {
  if (jobs.length === 0) return emptyAnalysis();
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

const jobsOf = (analyzers: readonly Analyzer[], files: readonly FileOfInterest[]): readonly Job[] =>
  analyzers.flatMap((analyzer) => {
    const globs = analyzer.paths.flatMap((pattern) => compileGlob(pattern) ?? []);
    const wanted = files
      .filter(({ rule }) => rule === null || analyzerOf(rule) === analyzer.name)
      .filter(({ path }) => globs.length === 0 || globs.some((glob) => glob.covers(path)));
    const toCheck = wanted.filter(({ hasNoLines }) => hasNoLines !== true).map(({ path }) => path);
    // Without `paths` it may be a scanner for secrets, which checks every file and knows no language.
    const changed = globs.length === 0 ? [] : wanted.filter(({ rule }) => rule === null);
    if (toCheck.length === 0 && changed.length === 0) return [];
    return [{ analyzer, files: [...new Set(toCheck)].toSorted(), changed }];
  });

type Growing = { -readonly [Key in keyof Analysis]: Analysis[Key] };

const emptyAnalysis = (): Growing => ({ v: 1, ran: [], hits: [], failed: [] });

const withoutCage = (jobs: readonly Job[]): Growing => ({
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
  job: Job<CommandAnalyzer>,
  { checkout, cage, nowMs, analysis }: Running,
  signal: AbortSignal,
): Promise<void> => {
  const { analyzer, files } = job;
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
  if (reason === null) analysis.ran.push(ranOn(job, present));
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
