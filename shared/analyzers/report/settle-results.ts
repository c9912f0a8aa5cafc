/** Checks the paths and lines of results, in the same way for every format. */
import type { AnalyzerResult, RawResult, ReportPlace, ReportReading } from './report.ts';
import { MAX_RESULTS, unreadableReport } from './report.ts';
import { treePath } from './tree-path.ts';

const MAX_RULE = 160;
export const MAX_MESSAGE = 4_000;
const MAX_HELP = 2_000;
export const UNNAMED = 'unnamed';

export const settleResults = (raws: readonly RawResult[], place: ReportPlace): ReportReading => {
  if (raws.length > MAX_RESULTS) return unreadableReport(`reported more than ${MAX_RESULTS} results`);
  const results: AnalyzerResult[] = [];
  let outside = 0;
  for (const raw of raws) {
    const path = raw.path === null ? null : treePath(raw.path, place);
    if (path === null) outside += 1;
    else results.push(settle(raw, path));
  }
  return { kind: 'report', results, outside };
};

const settle = (raw: RawResult, path: string): AnalyzerResult => {
  const startLine = lineOf(raw.startLine) ?? 1;
  const given = lineOf(raw.endLine) ?? startLine;
  const endLine = raw.endsBefore && given > startLine ? given - 1 : given;
  return {
    path,
    startLine,
    endLine: Math.max(startLine, endLine),
    rule: ruleName(raw.rule),
    level: raw.level,
    message: raw.message.slice(0, MAX_MESSAGE).trim(),
    help: raw.help.slice(0, MAX_HELP).trim(),
    suppressed: raw.suppressed,
    ...(raw.cwes === undefined ? {} : { cwes: raw.cwes }),
  };
};

const lineOf = (line: number | null): number | null =>
  line !== null && Number.isSafeInteger(line) && line > 0 ? line : null;

/** Rule ids are posted in code spans and stored in markers, so only harmless characters are kept. */
const ruleName = (rule: string): string => {
  const name = rule.slice(0, MAX_RULE).replaceAll(/[^A-Za-z0-9@._/:+-]/g, '-');
  return name === '' ? UNNAMED : name;
};
