import type { AnalyzerFormat } from '../../vocabulary/analyzer.ts';
import { parseCheckstyle } from './parse-checkstyle.ts';
import { parseRdjson, parseRdjsonl } from './parse-rdjson.ts';
import { parseSarif } from './parse-sarif.ts';
import { MAX_REPORT_BYTES, type ReportPlace, type ReportReading, unreadableReport } from './report.ts';

export type ReportSource = ReportPlace & { readonly format: AnalyzerFormat; readonly analyzer: string };

/** Reads a report of any format. Never throws, and takes linear time. */
export const parseReport = (data: Uint8Array, source: ReportSource): ReportReading => {
  if (data.byteLength > MAX_REPORT_BYTES) return unreadableReport(`wrote more than ${MAX_REPORT_BYTES} bytes`);
  // The decoder removes a byte order mark.
  const text = new TextDecoder('utf-8').decode(data);
  if (text.trim() === '' && source.format !== 'rdjsonl') return unreadableReport('wrote no report');
  switch (source.format) {
    case 'sarif':
      return parseSarif(text, source);
    case 'rdjson':
      return parseRdjson(text, source);
    case 'rdjsonl':
      return parseRdjsonl(text, source);
    case 'checkstyle':
      return parseCheckstyle(text, source, source.analyzer);
    default:
      return source.format satisfies never;
  }
};
