/** Reads the report of a CI job as if the analyzer had run on the head. */
import type { ArtifactAnalyzer } from '../config/analyzer-settings.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import type { Revisions } from '../workspace/git/revisions.ts';
import { findEntry } from '../workspace/git/trees.ts';
import { type CiReport, unpackReport } from './ci/ci-report.ts';
import { parseReport } from './report/parse-report.ts';
import type { Report } from './report/report.ts';
import { type Analyzed, settleReports } from './settle-reports.ts';

export type CiHead = {
  readonly revisions: Revisions;
  readonly head: CommitSha;
  /** `owner/name`: CI checks a project out into a folder with this path. Null if it is not known. */
  readonly project: string | null;
  /** Files of interest; at least one. */
  readonly files: readonly string[];
};

/** `present`: the files of interest that exist at the head. */
export type ReadReport = Analyzed & { readonly present: readonly string[] };

/** Larger repositories are not listed, so it is unknown whether the report is about them. */
const MAX_FILES = 300_000;

export const readCiReport = async (
  analyzer: ArtifactAnalyzer,
  stored: CiReport | null,
  at: CiHead,
  signal: AbortSignal,
): Promise<ReadReport> => {
  const { revisions, head, files } = at;
  const { present, tree } = await listTree(revisions, head, files, signal);
  // A deleted file has no results.
  if (present.length === 0) return { hits: [], failure: null, present };
  const failed = (failure: string): ReadReport => ({ hits: [], failure, present });
  if (stored === null) return failed('has no report: what was fetched is no longer stored');
  if (stored.kind === 'missing') return failed(stored.reason);
  if (tree === null) return failed('cannot be compared with the repository, because that has too many files');
  const report = await parseStored(analyzer, stored, at);
  if (typeof report === 'string') return failed(report);
  const merge = await compareWithMerge(stored.mergedWith, { ...at, files: present }, signal);
  if (merge === null) return failed('ran on a merge with a commit of the target branch that is not known here');
  const settled = await settleReports([report], analyzer, {
    files: present.filter((path) => !merge.changed.has(path)),
    isTreeFile: async (path) => tree.has(path) || (await merge.hasFile(path)),
  });
  const moved = merge.changed.size === 0 ? null : movedIn(merge.changed.size);
  return { ...settled, failure: settled.failure ?? moved, present };
};

const movedIn = (count: number): string =>
  `ran on a merge with the target branch, which also changes ${count === 1 ? '1 file' : `${count} files`} of the change`;

type Tree = { readonly present: readonly string[]; readonly tree: ReadonlySet<string> | null };

const listTree = async (
  revisions: Revisions,
  head: CommitSha,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Tree> => {
  const listed = await revisions.listFiles(head, { maxFiles: MAX_FILES }, signal);
  if (!listed.complete) return { present: files, tree: null };
  const tree = new Set(listed.files.flatMap(({ path, kind }) => (path === null || kind !== 'file' ? [] : [path])));
  return { present: files.filter((path) => tree.has(path)), tree };
};

type Stored = CiReport & { readonly kind: 'report' };

/** Returns the report, or why it cannot be relied on. */
const parseStored = async (
  { format, name, job }: ArtifactAnalyzer,
  { gzip, failed }: Stored,
  { project }: CiHead,
): Promise<Report | string> => {
  const data = await unpackReport(gzip);
  if (data === null) return 'has no report: what was stored is damaged';
  const report = parseReport(data, { format, analyzer: name, roots: [], project });
  if (report.kind === 'unreadable') return report.reason;
  const isEmpty = report.results.length + report.outside === 0;
  return failed && isEmpty ? `reported nothing, although its CI job "${job}" failed` : report;
};

type Merge = {
  /** Files whose lines may be other ones in the merge, because the target branch changes them too. */
  readonly changed: ReadonlySet<string>;
  /** Whether the merge has the file from the target branch. */
  readonly hasFile: (path: string) => Promise<boolean>;
};

const NO_MERGE: Merge = { changed: new Set(), hasFile: async () => false };

/** Null if the commit or its history is not known. */
const compareWithMerge = async (
  target: CommitSha | null,
  { revisions, head, files }: CiHead,
  signal: AbortSignal,
): Promise<Merge | null> => {
  if (target === null) return NO_MERGE;
  if (!(await revisions.exists(target, signal))) return null;
  const base = await revisions.mergeBase(target, head, signal);
  if (base === null) return null;
  const idIn = async (commit: CommitSha, path: string): Promise<string | null> => {
    const treeId = await revisions.treeOf(commit, signal);
    const entry = await findEntry(revisions.objects, { treeId, path }, signal);
    return entry?.kind === 'file' ? entry.objectId : null;
  };
  const changed = new Set<string>();
  for (const path of files) if ((await idIn(base, path)) !== (await idIn(target, path))) changed.add(path);
  return { changed, hasFile: async (path) => (await idIn(target, path)) !== null };
};
