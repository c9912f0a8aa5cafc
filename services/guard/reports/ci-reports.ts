/** Reports of CI jobs for the operator's analyzers: guard fetches them, because the reviewer has no token of the forge. */
import { type ReportChoice, type ReportTimes, chooseReport } from '../../../shared/analyzers/ci/choose-report.ts';
import { type CiReport, missingReport, packReport } from '../../../shared/analyzers/ci/ci-report.ts';
import { MAX_REPORT_BYTES } from '../../../shared/analyzers/report/report.ts';
import { analyzersFor, type ArtifactAnalyzer } from '../../../shared/config/analyzer-settings.ts';
import { hasForgeCode } from '../../../shared/forge/errors.ts';
import type { ReadsProject } from '../../../shared/forge/port.ts';
import type { ReportJob, CiJobs, ReadsCiReports } from '../../../shared/forge/port-ci-reports.ts';
import type { DocumentStore } from '../../../shared/store/documents.ts';
import type { Keys } from '../../../shared/store/keys.ts';
import { delayOrAbort } from '../../../shared/time-limit.ts';
import type { ChangeRequest, CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';

export type CiReports = {
  /** Those of the configuration that read a report of CI. */
  readonly analyzers: readonly ArtifactAnalyzer[];
  readonly store: DocumentStore<CiReport>;
  readonly keys: Pick<Keys, 'ciReport'>;
};

export type ReportForge = {
  readonly read: Pick<ReadsProject, 'fetchProject'>;
  /** Absent or null if the forge serves no reports of CI. */
  readonly ciReports?: ReadsCiReports | null;
};

export type ReportsOf = {
  readonly forge: ReportForge;
  readonly of: ChangeRequest;
  readonly head: CommitSha;
  readonly signal: AbortSignal;
};

/** True if the review of this head must wait for a CI job. Never true after the deadline of the job. */
export const areReportsAwaited = async (
  { analyzers: all }: Pick<CiReports, 'analyzers'>,
  asked: ReportsOf,
  times: ReportTimes,
): Promise<boolean> => {
  const { ciReports = null } = asked.forge;
  if (ciReports === null) return false;
  const analyzers = await analyzersOf(all, asked);
  if (analyzers.length === 0) return false;
  const jobs = await fetchJobs(ciReports, analyzers, asked);
  // The decision is saved with the wait, so that the deadline counts from the first look and not from each failed one.
  if (jobs === null) return times.nowMs < times.firstSeenMs + times.deadlineMs;
  return analyzers.some((analyzer) => chooseReport(analyzer, jobs, times).kind === 'wait');
};

type Saving = ReportsOf & {
  readonly runId: RunId;
  /** Null: the reports of all analyzers are wanted. */
  readonly only: ReadonlySet<string> | null;
};

/** What is stored for the run stays, so that a repeated effect changes nothing for a review that has begun. */
export const saveReports = async (
  { analyzers: all, store, keys }: CiReports,
  asked: Saving,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<void> => {
  const wanted = all.filter(({ name }) => asked.only?.has(name) ?? true);
  const missing: ArtifactAnalyzer[] = [];
  for (const analyzer of await analyzersOf(wanted, asked))
    if ((await store.load(keys.ciReport(asked.runId, analyzer.name))) === null) missing.push(analyzer);
  if (missing.length === 0) return;
  const { ciReports = null } = asked.forge;
  const jobs = ciReports === null ? NO_JOBS : await fetchJobsPatiently(ciReports, missing, { ...asked, pausesMs });
  for (const analyzer of missing) {
    await store.save(keys.ciReport(asked.runId, analyzer.name), await reportOf(ciReports, analyzer, jobs, asked));
  }
};

const reportOf = async (
  ciReports: ReadsCiReports | null,
  analyzer: ArtifactAnalyzer,
  jobs: CiJobs | null,
  asked: ReportsOf,
): Promise<CiReport> => {
  if (ciReports === null) return NOT_SERVED;
  return jobs === null ? NOT_LISTED : fetchReport(ciReports, analyzer, chooseReport(analyzer, jobs, NOW), asked);
};

const NO_JOBS: CiJobs = { jobs: [], hidden: false };
const NOT_SERVED = missingReport('has no report: this forge serves no reports of CI jobs');
const NOT_LISTED = missingReport('has no report: the forge could not list the CI jobs of this commit');

/** The review begins now, whatever has not ended. */
const NOW: ReportTimes = { nowMs: 0, firstSeenMs: 0, graceMs: 0, deadlineMs: 0 };

const analyzersOf = async (
  analyzers: readonly ArtifactAnalyzer[],
  { forge, of, signal }: ReportsOf,
): Promise<readonly ArtifactAnalyzer[]> => {
  if (analyzers.every(({ projects }) => projects.length === 0)) return analyzers;
  const project = await forge.read.fetchProject(of.projectId, signal);
  return analyzersFor(analyzers, project?.path ?? null);
};

/** Null if the forge cannot list the jobs of this change request, which may last. */
const fetchJobs = async (
  ciReports: ReadsCiReports,
  analyzers: readonly ArtifactAnalyzer[],
  { of, head, signal }: ReportsOf,
): Promise<CiJobs | null> => {
  const names = [...new Set(analyzers.map(({ job }) => job))];
  try {
    return await ciReports.fetchCiJobs({ changeRequest: of, head, names }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (hasForgeCode(error, ...CANNOT_LIST)) return null;
    throw error;
  }
};

/** Nothing asks again once the run has its reports, so a single bad answer must not stand for a missing report. */
const PAUSES_MS = [1_000, 4_000];

const fetchJobsPatiently = async (
  ciReports: ReadsCiReports,
  analyzers: readonly ArtifactAnalyzer[],
  { pausesMs, ...asked }: ReportsOf & { readonly pausesMs: readonly number[] },
): Promise<CiJobs | null> => {
  for (const pauseMs of pausesMs) {
    const jobs = await fetchJobs(ciReports, analyzers, asked);
    if (jobs !== null) return jobs;
    await delayOrAbort(pauseMs, asked.signal);
  }
  return fetchJobs(ciReports, analyzers, asked);
};

const CANNOT_LIST = [
  'FORGE_BAD_ANSWER',
  'FORGE_FORBIDDEN',
  'FORGE_REDIRECTED',
  'FORGE_REJECTED',
  'FORGE_UNAVAILABLE',
] as const;

const fetchReport = async (
  ciReports: ReadsCiReports,
  analyzer: ArtifactAnalyzer,
  choice: ReportChoice,
  { signal }: ReportsOf,
): Promise<CiReport> => {
  if (choice.kind === 'missing') return missingReport(choice.reason);
  if (choice.kind === 'wait') return missingReport(`has no report: the CI job "${analyzer.job}" did not end in time`);
  try {
    return await fetchFrom(ciReports, choice.job, analyzer, signal);
  } catch (error) {
    // If the whole forge were out of reach, other reads of the review would fail too and be tried again.
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return missingReport(`has no report: ${FORBIDDEN}`);
    if (hasForgeCode(error, 'FORGE_REDIRECTED')) return missingReport(`has no report: ${REDIRECTED}`);
    if (hasForgeCode(error, 'FORGE_REJECTED', 'FORGE_UNAVAILABLE'))
      return missingReport(`has no report: the forge could not serve the file "${analyzer.artifact}"`);
    throw error;
  }
};

const FORBIDDEN = "the bot's account may not read what the CI job uploads";
const REDIRECTED = 'the forge answered with a redirect, which is never followed';

const fetchFrom = async (
  ciReports: ReadsCiReports,
  job: ReportJob,
  { job: name, artifact: path }: ArtifactAnalyzer,
  signal: AbortSignal,
): Promise<CiReport> => {
  const artifact = await ciReports.fetchArtifact({ job, path, maxBytes: MAX_REPORT_BYTES }, signal);
  const failed = job.state === 'failed';
  switch (artifact.kind) {
    case 'text': {
      const gzip = await packReport(artifact.text);
      return { v: 1, kind: 'report', gzip, failed, mergedWith: job.mergedWith };
    }
    case 'absent':
      return missingReport(
        failed
          ? `has no report: the CI job "${name}" failed without uploading "${path}"`
          : `has no report: the CI job "${name}" did not upload "${path}", or the file has expired`,
      );
    case 'too_large':
      return missingReport(`wrote more than ${MAX_REPORT_BYTES} bytes`);
    default:
      return artifact satisfies never;
  }
};
