import { printJson } from '../terminal/print-json.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { codeclimateOf } from './report-codeclimate.ts';
import { junitOf } from './report-junit.ts';
import { markdownOf } from './report-markdown.ts';
import { rdjsonOf } from './report-rdjson.ts';
import { sarifOf } from './report-sarif.ts';
import { reviewText } from './report-text.ts';
import type { ReportFormat } from '../review/review-options.ts';

export const REPORTS: Readonly<Record<ReportFormat, (output: ReviewOutput) => string>> = {
  text: (output) => reviewText(output),
  json: printJson,
  markdown: markdownOf,
  sarif: (output) => printJson(sarifOf(output)),
  rdjson: (output) => printJson(rdjsonOf(output)),
  codeclimate: (output) => printJson(codeclimateOf(output)),
  junit: junitOf,
};
