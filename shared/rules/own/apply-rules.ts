/** Applies the rules of one source to the files of a change. What they find is reported like the findings of analyzers. */
import { type FailedAnalyzer, analyzerOf, MAX_FAILURE } from '../../vocabulary/analyzer.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';
import { cutPoint, cutWithNotice } from '../../text/cut.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import type { Analysis, AnalysisHit } from '../model/analysis.ts';
import { RulesEngineFailedError, RulesTimeoutError } from '../model/errors.ts';
import type { RuleHit, SourceFile } from '../model/rule.ts';
import { compareHits } from '../find-hits.ts';
import { parsedPartsOf } from '../parsed-parts.ts';
import { scanWith } from '../structural-scan.ts';
import { ownParserOf } from './languages.ts';
import { isProjectRulePath, type OwnRule, type RuleSet } from './own-rule.ts';

/** A change with more is not reviewed by reading all of them. */
const MAX_HITS = 2_000;
const MAX_PROBLEMS = 10;
const MAX_TITLE = 150;
/** What a stored hit may hold. A message, a note and a URL together may be longer. */
const MAX_BODY = 4_000;

export type FileToCheck = SourceFile & {
  /** The rule of a thread in the file; null for a changed file. */
  readonly rule: string | null;
};

export type Applying = {
  readonly signal: AbortSignal;
  /** Rules take milliseconds for a file, but those of strangers may be made to take longer. At most 0: nothing is read. */
  readonly totalMs: number;
};

/** @throws RulesEngineMissingError; the signal's reason if aborted. */
export const applyRules = async (
  set: RuleSet,
  given: readonly FileToCheck[],
  applying: Applying,
): Promise<Analysis> => {
  const wantedFiles = filesFor(set, given);
  const files = withLanguages(wantedFiles);
  const failed = problemsFor(set, { files, isAny: wantedFiles.length > 0 }).map((why) => failure(set, why));
  if (set.rules.length === 0 || files.length === 0) return { v: 1, ran: [], hits: [], failed: listed(set, failed) };
  const { hits, omitted } = await scan(set, files, applying);
  const byId = new Map(set.rules.map((rule) => [rule.id, rule]));
  const wanted = hits.filter(({ rule, path }) => applies(byId.get(rule.id), path)).toSorted(compareHits);
  const kept = wanted.slice(0, MAX_HITS);
  // A missing hit proves nothing in a file that was not read, or whose hits are not all reported.
  const uncovered = new Set([...omitted, ...wanted.slice(MAX_HITS)].map(({ path }) => path));
  const incomplete = [
    ...(omitted.length === 0 ? [] : [failure(set, whyOmitted(omitted))]),
    ...(kept.length === wanted.length ? [] : [failure(set, `found more than ${MAX_HITS} problems in the change`)]),
  ];
  return {
    v: 1,
    ran: ranOn(
      set,
      files.filter(({ path }) => !uncovered.has(path)),
    ),
    hits: kept.map(asAnalysisHit),
    failed: listed(set, [...failed, ...incomplete]),
  };
};

const failure = ({ name }: RuleSet, why: string): FailedAnalyzer => ({
  name,
  kind: 'rules',
  reason: why.length <= MAX_FAILURE ? why : `${why.slice(0, cutPoint(why, MAX_FAILURE - 2))} …`,
});

const listed = (set: RuleSet, failed: readonly FailedAnalyzer[]): FailedAnalyzer[] => {
  const more = failed.length - MAX_PROBLEMS;
  return more <= 0 ? [...failed] : [...failed.slice(0, MAX_PROBLEMS), failure(set, `have ${more} more problems`)];
};

const whyOmitted = (omitted: readonly OmittedFile[]): string => {
  const [first] = omitted;
  const more = omitted.length > 1 ? ` and ${omitted.length - 1} more files` : '';
  return `could not check \`${(first?.path ?? '').replaceAll('`', "'")}\`${more} (${first?.reason ?? ''})`;
};

/**
 * The changed files, and those with a thread about a rule of the source. The rules themselves are left out, so that a change
 * can repair a rule that keeps every other change from passing.
 */
const filesFor = ({ name }: RuleSet, files: readonly FileToCheck[]): readonly FileToCheck[] =>
  files.filter(({ path, rule }) => !isProjectRulePath(path) && (rule === null || analyzerOf(rule) === name));

type ParsedFile = FileToCheck & { readonly languages: ReadonlySet<string> };

/** A file of a language that no rule can be written for is never concerned. */
const withLanguages = (files: readonly FileToCheck[]): readonly ParsedFile[] =>
  files.flatMap((file) => {
    const { parts } = parsedPartsOf(file, ownParserOf);
    return parts.length === 0 ? [] : [{ ...file, languages: new Set(parts.map(({ parser }) => parser.language)) }];
  });

type Concerned = { readonly files: readonly ParsedFile[]; readonly isAny: boolean };

/** The rest of a sentence that begins with the source. */
const problemsFor = ({ problems }: RuleSet, { files, isAny }: Concerned): readonly string[] =>
  problems
    .filter(({ language, always }) =>
      always === true ? isAny : files.some(({ languages }) => language === null || languages.has(language)),
    )
    .map(({ file, why }) => (file === null ? why : `have a mistake in \`${file.replaceAll('`', "'")}\`: ${why}`));

const applies = (rule: OwnRule | undefined, path: string): boolean =>
  rule !== undefined &&
  (rule.only.length === 0 || rule.only.some((glob) => glob.covers(path))) &&
  !rule.never.some((glob) => glob.covers(path));

type Scanned = { readonly hits: readonly RuleHit[]; readonly omitted: readonly OmittedFile[] };

const OUT_OF_TIME = 'there was no time left for these rules';

const scan = async (
  { rules }: RuleSet,
  files: readonly ParsedFile[],
  { signal, totalMs }: Applying,
): Promise<Scanned> => {
  const unique = [...new Map(files.map(({ path, text }) => [path, { path, text }])).values()];
  const endsAtMs = performance.now() + totalMs;
  const omitAll = (reason: string): Scanned => ({ hits: [], omitted: unique.map(({ path }) => ({ path, reason })) });
  if (totalMs <= 0) return omitAll(OUT_OF_TIME);
  try {
    return await scanWith({ files: unique, rules, parserFor: ownParserOf, totalMs }, signal);
  } catch (error) {
    if (!(error instanceof RulesEngineFailedError || error instanceof RulesTimeoutError)) throw error;
    return omitAll(performance.now() >= endsAtMs ? OUT_OF_TIME : 'the rules engine failed');
  }
};

/** Rules that read the same files share an entry. */
const ranOn = ({ name, rules }: RuleSet, files: readonly ParsedFile[]): Analysis['ran'] => {
  const byPaths = new Map<string, { name: string; paths: string[]; rules: string[] }>();
  for (const rule of rules) {
    const read = files.filter(({ path, languages }) => languages.has(rule.languages[0]) && applies(rule, path));
    const paths = [...new Set(read.map(({ path }) => path))];
    if (paths.length === 0) continue;
    const key = JSON.stringify(paths);
    const entry = byPaths.get(key) ?? { name, paths, rules: [] };
    entry.rules.push(rule.id);
    byPaths.set(key, entry);
  }
  return [...byPaths.values()];
};

/** The first line of the message is the title. A message of metavariables alone may be empty for a match. */
const asAnalysisHit = ({ rule, path, startLine, endLine, message = '' }: RuleHit): AnalysisHit => {
  const [first = ''] = message.trim().split('\n', 1);
  const line = collapseBlanks(first) || collapseBlanks(rule.title) || rule.id;
  const title = line.length <= MAX_TITLE ? line : `${line.slice(0, cutPoint(line, MAX_TITLE))} …`;
  const rest = title === message.trim() ? '' : message.trim().slice(0, 1_000);
  const said = [rest, rule.explanation].filter((part) => part !== '').join('\n\n');
  const body = cutWithNotice(said, MAX_BODY, (piece) => piece);
  return { rule: rule.id, severity: rule.severity, path, startLine, endLine, title, body, suppressed: false };
};
