/**
 * Checkstyle's XML, which many linters write: https://checkstyle.org/config.html. It has no published schema; the
 * `version` attribute is the version of the tool, so no version is refused.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { AnalyzerLevel } from '../../vocabulary/analyzer.ts';
import type { RawResult, ReportPlace, ReportReading } from './report.ts';
import { MAX_RESULTS, unreadableReport } from './report.ts';
import { settleResults } from './settle-results.ts';

/** The parser knows no entities except those of XML itself, and a document type is refused, so nothing expands. */
export const parseCheckstyle = (text: string, place: ReportPlace, analyzer: string): ReportReading => {
  const reader = createReader(analyzer);
  const parser = new SaxesParser();
  parser.on('error', () => reader.fail('wrote no well-formed XML'));
  parser.on('doctype', () => reader.fail('wrote XML with a document type'));
  parser.on('opentag', (tag) => reader.open(tag));
  parser.on('closetag', ({ name }) => reader.close(name));
  for (let at = 0; at < text.length && reader.failure() === null; at += CHUNK) parser.write(text.slice(at, at + CHUNK));
  if (reader.failure() === null) parser.close();
  const failure = reader.failure() ?? (reader.isComplete() ? null : 'wrote no Checkstyle report');
  return failure === null ? settleResults(reader.results, place) : unreadableReport(failure);
};

/** Reading ends at the first error after such a piece, and not only at the end of a large text. */
const CHUNK = 64 * 1024;

const createReader = (analyzer: string) => {
  const results: RawResult[] = [];
  let failed: string | null = null;
  let depth = 0;
  let isComplete = false;
  let file: string | null = null;
  const fail = (reason: string): void => {
    failed ??= reason;
  };
  const open = ({ name, attributes }: SaxesTagPlain): void => {
    depth += 1;
    if (depth === 1 && name !== 'checkstyle') fail('wrote XML that is no Checkstyle report');
    if (name === 'exception') fail('reports an error of its own');
    if (name === 'file') file = attributes['name'] ?? null;
    if (name !== 'error') return;
    if (results.length >= MAX_RESULTS) fail(`reported more than ${MAX_RESULTS} results`);
    const raw = rawOf(attributes, file, analyzer);
    if (raw !== null) results.push(raw);
  };
  const close = (name: string): void => {
    depth -= 1;
    if (name === 'file') file = null;
    isComplete ||= depth === 0;
  };
  return { results, open, close, fail, failure: () => failed, isComplete: () => isComplete };
};

type Attributes = Readonly<Record<string, string>>;

const rawOf = (attributes: Attributes, file: string | null, analyzer: string): RawResult | null => {
  const { line, message = '', source = '', severity = 'error' } = attributes;
  const level = LEVELS.get(severity.toLowerCase());
  if (level === null) return null;
  const startLine = line === undefined ? null : Number(line);
  return {
    path: file,
    startLine,
    endLine: null,
    endsBefore: false,
    rule: ruleOf(source, analyzer),
    level: level ?? 'warning',
    message,
    help: '',
    suppressed: false,
  };
};

/** Null: the tool was told to ignore such results. */
const LEVELS: ReadonlyMap<string, AnalyzerLevel | null> = new Map([
  ['error', 'error'],
  ['fatal', 'error'],
  ['warning', 'warning'],
  ['info', 'info'],
  ['note', 'info'],
  ['style', 'info'],
  ['ignore', null],
]);

/**
 * `com.puppycrawl.….LineLengthCheck`, `eslint.rules.no-eval` and `ShellCheck.SC2086` of the analyzer `shellcheck` become
 * `LineLengthCheck`, `no-eval` and `SC2086`. All parts of other ids are kept, because together they name the rule.
 */
const ruleOf = (source: string, analyzer: string): string => {
  const slash = source.indexOf('/');
  const dotted = slash < 0 ? source : source.slice(0, slash);
  const end = dotted.lastIndexOf('.');
  if (end < 0) return source;
  const parts = dotted.slice(0, end).split('.');
  const isNamespace = parts.every((part) => /^[a-z_][a-z0-9_]*$/.test(part));
  if (isNamespace || (parts.length === 1 && parts[0]?.toLowerCase() === analyzer)) return source.slice(end + 1);
  return source;
};
