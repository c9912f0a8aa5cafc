/** reviewdog's formats: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf */
import { z } from 'zod';
import type { AnalyzerLevel } from '../../vocabulary/analyzer.ts';
import { jsonOrUndefined, MALFORMED, parseAll } from './read-json.ts';
import type { RawResult, ReportPlace, ReportReading } from './report.ts';
import { MAX_RESULTS, unreadableReport } from './report.ts';
import { settleResults } from './settle-results.ts';

/** An enum of protocol buffers is written as its name or its number. */
const RdSeverity = z.union([z.string(), z.int()]).nullish();
const Point = z.object({ line: z.int().nullish(), column: z.int().nullish() });
const Diagnostic = z.object({
  message: z.string(),
  location: z.object({
    path: z.string(),
    range: z.object({ start: Point.nullish(), end: Point.nullish() }).nullish(),
  }),
  severity: RdSeverity,
  code: z.object({ value: z.string().nullish() }).nullish(),
});
type Diagnostic = z.output<typeof Diagnostic>;

const Document = z.object({ severity: RdSeverity, diagnostics: z.array(z.unknown()).nullable() });

/** Without a severity, the one of the document applies, and otherwise a warning, as in reviewdog. */
const levelOf = (...given: readonly z.output<typeof RdSeverity>[]): AnalyzerLevel => {
  for (const each of given) {
    const level = LEVELS.get(String(each ?? '').toUpperCase());
    if (level !== undefined) return level;
  }
  return 'warning';
};

const LEVELS: ReadonlyMap<string, AnalyzerLevel> = new Map([
  ['ERROR', 'error'],
  ['1', 'error'],
  ['WARNING', 'warning'],
  ['2', 'warning'],
  ['INFO', 'info'],
  ['3', 'info'],
]);

const rawOf = (
  { message, location, severity, code }: Diagnostic,
  byDefault: z.output<typeof RdSeverity>,
): RawResult => ({
  path: location.path,
  startLine: location.range?.start?.line ?? null,
  endLine: location.range?.end?.line ?? null,
  // The end is exclusive: column 1 is before the first character.
  endsBefore: location.range?.end?.column === 1,
  rule: code?.value ?? '',
  level: levelOf(severity, byDefault),
  message,
  help: '',
  suppressed: false,
});

export const parseRdjson = (text: string, place: ReportPlace): ReportReading => {
  const document = Document.safeParse(jsonOrUndefined(text));
  if (!document.success) return unreadableReport('wrote no rdjson: expected a JSON object with "diagnostics"');
  return readDiagnostics(document.data.diagnostics ?? [], document.data.severity, place);
};

const tooMany = (): ReportReading => unreadableReport(`reported more than ${MAX_RESULTS} results`);

/**
 * One diagnostic per line. An empty report has no result. Reading ends at the first line that is not JSON: each takes as
 * long as an exception, and a report can have millions of lines.
 */
export const parseRdjsonl = (text: string, place: ReportPlace): ReportReading => {
  const values: unknown[] = [];
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    const value = jsonOrUndefined(line);
    if (value === undefined) return unreadableReport('wrote no rdjsonl: expected one JSON object per line');
    if (values.push(value) > MAX_RESULTS) return tooMany();
  }
  return readDiagnostics(values, null, place);
};

/** One line after the other, because a list of all of them could be much larger than the text. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    yield text.slice(start, end);
    start = end + 1;
  }
}

const readDiagnostics = (
  given: readonly unknown[],
  byDefault: z.output<typeof RdSeverity>,
  place: ReportPlace,
): ReportReading => {
  if (given.length > MAX_RESULTS) return tooMany();
  const diagnostics = parseAll(Diagnostic, given);
  if (diagnostics === null) return unreadableReport(MALFORMED);
  return settleResults(
    diagnostics.map((each) => rawOf(each, byDefault)),
    place,
  );
};
