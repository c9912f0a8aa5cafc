/** Writes the report files that a CI system displays. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../../../shared/config/secrets.ts';
import { REPORTS } from '../report/report-formats.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type ReportFiles = {
  readonly codeQuality?: string | undefined;
  readonly sarif?: string | undefined;
  readonly summary?: string | undefined;
};

type Report = {
  readonly file: string;
  readonly text: string;
  /** Whether to append, because the steps of one job share the summary's file. */
  readonly append: boolean;
};

const STEP_SUMMARY = 'GITHUB_STEP_SUMMARY';

export const reportsOf = (output: ReviewOutput, files: ReportFiles, env: Environment): readonly Report[] => {
  const { codeQuality, sarif, summary } = files;
  const shared = env[STEP_SUMMARY] ?? '';
  const reports = [
    { file: codeQuality, format: 'codeclimate', append: false },
    { file: sarif, format: 'sarif', append: false },
    { file: summary ?? (shared === '' ? undefined : shared), format: 'markdown', append: summary === undefined },
  ] as const;
  return reports.flatMap(({ file, format, append }) =>
    file === undefined ? [] : [{ file, text: REPORTS[format](output), append }],
  );
};

/** Writes every report that it can. @throws UsageError that names each file that cannot be written */
export const writeReports = async (reports: readonly Report[]): Promise<void> => {
  const failures: string[] = [];
  for (const { file, text, append } of reports) {
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await (append ? appendFile(file, text) : writeFile(file, text));
    } catch (error) {
      failures.push(`the report cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failures.length > 0) throw new UsageError(failures.join('\n'));
};
