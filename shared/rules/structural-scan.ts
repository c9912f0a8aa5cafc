import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { OmittedFile } from '../vocabulary/coverage.ts';
import { findAstGrep, runAstGrep } from './ast-grep.ts';
import { type Prepared, RuleMatch } from './hit-of-match.ts';
import { hitsOfMatches } from './hits-of-matches.ts';
import { RulesEngineFailedError, RulesTimeoutError } from './model/errors.ts';
import type { GrepLanguage, RuleHit, SourceFile, StructuralRule } from './model/rule.ts';
import { parserOf } from './model/language.ts';
import { parsedPartsOf } from './parsed-parts.ts';

/** Files above this size are generated and not reviewed by line. */
const MAX_FILE_CHARS = 1_000_000;
/** The engine prints the whole line of each match. A file with a line above this length is scanned alone, with its own limit. */
const MAX_SHARED_LINE_CHARS = 5_000;
const RULES = 'rules.yml';
/** Only the rules that take linear time and match seldom, for a file that breaks the others. */
const QUICK_RULES = 'quick-rules.yml';
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const RUN_TIMEOUT_MS = 20_000;
/** Real files take about a microsecond for each character. */
const FIRST_TIMEOUT_MS = 1_500;
const CHARS_PER_MS = 100;
const TOTAL_TIMEOUT_MS = 60_000;
/** The engine's suppression comment is disabled, because in Fixpoint a commander dismisses a finding. */
const SUPPRESSION = /ast-grep-ignore/g;

const Matches = z.array(RuleMatch);

export type StructuralReport = { readonly hits: readonly RuleHit[]; readonly omitted: readonly OmittedFile[] };

/** Returns one ast-grep document per rule and used language, as JSON (which is valid YAML). Each document costs start-up time. */
export const ruleDocuments = (rules: readonly StructuralRule[], languages: ReadonlySet<GrepLanguage>): string =>
  rules
    .flatMap((rule) =>
      rule.languages
        .filter((language) => languages.has(language))
        .map((language) =>
          JSON.stringify({
            id: `${rule.id}@${language}`,
            language,
            severity: 'warning',
            rule: rule.rule,
            ...(rule.constraints === undefined ? {} : { constraints: rule.constraints }),
            ...(rule.utils === undefined ? {} : { utils: rule.utils }),
            ...(rule.message === undefined ? {} : { message: rule.message }),
            ...(rule.transform === undefined ? {} : { transform: rule.transform }),
            ...(rule.fix === undefined ? {} : { fix: rule.fix }),
          }),
        ),
    )
    .join('\n---\n');

const longestLine = ({ content }: Prepared): number =>
  content.split('\n').reduce((longest, line) => Math.max(longest, line.length), 0);

const hasLongLine = (file: Prepared): boolean => longestLine(file) > MAX_SHARED_LINE_CHARS;

/** The output limit as a number of matches: a match prints its line about four times, plus about 2000 bytes. */
const maxMatches = (files: readonly Prepared[]): number => {
  const longest = files.reduce((chars, file) => Math.max(chars, longestLine(file)), 0);
  return Math.ceil(MAX_OUTPUT_BYTES / (4 * longest + 2000));
};

const parseMatches = (output: string): readonly RuleMatch[] => {
  try {
    return Matches.parse(JSON.parse(output));
  } catch (cause) {
    throw new RulesEngineFailedError({ reason: 'answer' }, cause);
  }
};

/** Unlike with other reasons, the engine worked. */
const NOT_FOLLOWED = 'the rules that follow values did not finish';

type Scan = {
  readonly folder: string;
  /** The file of the rules, in the folder. */
  readonly ruleFile: string;
  readonly rules: ReadonlyMap<string, StructuralRule>;
  readonly signal: AbortSignal;
  readonly endsAtMs: number;
  /** Whether a pattern takes quadratic time, for those that were analysed. */
  readonly knownPatterns: Map<string, boolean>;
  /** Whether some rules are not among the quick rules. */
  readonly hasSlow: boolean;
};

const omitAll = (files: readonly Prepared[], reason: string): StructuralReport => ({
  hits: [],
  omitted: files.map(({ file }) => ({ path: file.path, reason })),
});

/** Code can be made for rules that follow values to take the square of its length, so all rules together have less time. */
const timeoutOf = (files: readonly Prepared[], { ruleFile, endsAtMs }: Scan): number => {
  const chars = files.reduce((sum, { content }) => sum + content.length, 0);
  const first = ruleFile === QUICK_RULES ? RUN_TIMEOUT_MS : FIRST_TIMEOUT_MS + chars / CHARS_PER_MS;
  return Math.min(RUN_TIMEOUT_MS, first, endsAtMs - performance.now());
};

const scanPrepared = async (files: readonly Prepared[], scan: Scan): Promise<readonly RuleHit[]> => {
  const most = maxMatches(files);
  const flags = ['hidden', 'dot', 'exclude', 'global', 'parent', 'vcs'].map((kind) => `--no-ignore=${kind}`);
  const output = await runAstGrep(
    {
      binary: findAstGrep(),
      args: [
        'scan',
        '--rule',
        scan.ruleFile,
        '--json=compact',
        `--max-results=${most}`,
        '--threads=2',
        ...flags,
        ...files.map(({ name }) => name),
      ],
      cwd: scan.folder,
      timeoutMs: timeoutOf(files, scan),
      maxOutputBytes: MAX_OUTPUT_BYTES,
    },
    scan.signal,
  );
  const matches = parseMatches(output);
  if (matches.length >= most) throw new RulesEngineFailedError({ reason: 'matches', matches: matches.length });
  const { rules, knownPatterns, endsAtMs } = scan;
  return await hitsOfMatches({ matches, files, rules, knownPatterns, endsAtMs }, scan.signal);
};

const scanQuickly = async (file: Prepared, scan: Scan): Promise<StructuralReport> => {
  const { hits, omitted } = await scanBySplitting([file], { ...scan, ruleFile: QUICK_RULES });
  const isComplete = omitted.length === 0 && !scan.hasSlow;
  return omitted.length > 0 || isComplete
    ? { hits, omitted }
    : { hits, omitted: omitAll([file], NOT_FOLLOWED).omitted };
};

/** Splits the files in halves until a file that breaks the engine is alone: the quick rules read it, and it is an omission. */
const scanBySplitting = async (files: readonly Prepared[], scan: Scan): Promise<StructuralReport> => {
  if (files.length === 0) return { hits: [], omitted: [] };
  if (performance.now() >= scan.endsAtMs) return omitAll(files, 'the rules engine ran out of time');
  try {
    return { hits: await scanPrepared(files, scan), omitted: [] };
  } catch (error) {
    if (!(error instanceof RulesEngineFailedError || error instanceof RulesTimeoutError)) throw error;
    const [first, ...others] = files;
    if (first !== undefined && others.length === 0)
      return scan.ruleFile === QUICK_RULES
        ? omitAll(files, 'the rules engine failed on this file')
        : await scanQuickly(first, scan);
    const middle = files.length >>> 1;
    const left = await scanBySplitting(files.slice(0, middle), scan);
    const right = await scanBySplitting(files.slice(middle), scan);
    return { hits: [...left.hits, ...right.hits], omitted: [...left.omitted, ...right.omitted] };
  }
};

const scanInTurn = async (files: readonly Prepared[], scan: Scan): Promise<StructuralReport> => {
  const alone = files.filter(hasLongLine).map((file) => [file]);
  const hits: RuleHit[] = [];
  const omitted: OmittedFile[] = [];
  for (const group of [files.filter((file) => !hasLongLine(file)), ...alone]) {
    const report = await scanBySplitting(group, scan);
    hits.push(...report.hits);
    omitted.push(...report.omitted);
  }
  return { hits, omitted };
};

const prepare = ({
  files,
  rules,
  parserFor = parserOf,
}: StructuralScan): { readonly prepared: readonly Prepared[]; readonly omitted: readonly OmittedFile[] } => {
  const languages = new Set(rules.flatMap((rule) => rule.languages));
  const prepared: Prepared[] = [];
  const omitted: OmittedFile[] = [];
  for (const [index, file] of files.entries()) {
    const { parts, unread } = parsedPartsOf(file, parserFor);
    if (unread !== null) omitted.push({ path: file.path, reason: unread });
    for (const [part, { text, firstLine, parser }] of parts.entries()) {
      if (!languages.has(parser.language)) continue;
      // The replacement has the same length, so offsets stay valid.
      const content = text.replaceAll(SUPPRESSION, 'ast_grep_ignore');
      const name = `${index}-${part}.${parser.extension}`;
      prepared.push({ file, firstLine, name, content, language: parser.language });
    }
  }
  return { prepared, omitted };
};

export const scanStructural = async (
  files: readonly SourceFile[],
  rules: readonly StructuralRule[],
  signal: AbortSignal,
): Promise<StructuralReport> => scanWith({ files, rules }, signal);

export type StructuralScan = {
  readonly files: readonly SourceFile[];
  readonly rules: readonly StructuralRule[];
  /** Chooses the parser of a file that has no script blocks. Default: that of the built-in rules. */
  readonly parserFor?: typeof parserOf;
  /** Time limit, including all splits; files that are left are reported as omitted. */
  readonly totalMs?: number;
};

/**
 * Files are written under neutral names into a temporary folder; no configuration of the repository is read.
 * @throws RulesEngineMissingError if ast-grep cannot run here; RulesEngineFailedError if no file could be scanned; the
 *   signal's reason if aborted.
 */
export const scanWith = async (wish: StructuralScan, signal: AbortSignal): Promise<StructuralReport> => {
  const { rules, totalMs = TOTAL_TIMEOUT_MS } = wish;
  const { prepared, omitted: unread } = prepare(wish);
  const readable = prepared.filter(({ content }) => content.length <= MAX_FILE_CHARS);
  const large = prepared.filter(({ content }) => content.length > MAX_FILE_CHARS);
  const omitted = [...unread, ...omitAll(large, `longer than ${MAX_FILE_CHARS} characters`).omitted];
  if (readable.length === 0) return { hits: [], omitted };
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-rules-'));
  try {
    const languages = new Set(readable.map(({ language }) => language));
    const quick = rules.filter(({ slowOn, follows }) => slowOn === undefined && follows === undefined);
    await writeFile(join(folder, RULES), ruleDocuments(rules, languages), { mode: 0o600 });
    await writeFile(join(folder, QUICK_RULES), ruleDocuments(quick, languages), { mode: 0o600 });
    for (const { name, content } of readable) await writeFile(join(folder, name), content, { mode: 0o600 });
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    const endsAtMs = performance.now() + totalMs;
    const hasSlow = quick.length < rules.length;
    const knownPatterns = new Map<string, boolean>();
    const scan = { folder, ruleFile: RULES, rules: byId, signal, endsAtMs, hasSlow, knownPatterns };
    const report = await scanInTurn(readable, scan);
    // If every file fails, the engine is the cause.
    const failed = report.omitted.filter(({ reason }) => reason !== NOT_FOLLOWED);
    if (readable.length > 1 && failed.length === readable.length)
      throw new RulesEngineFailedError({ reason: 'every file', files: readable.length });
    return { hits: report.hits, omitted: [...omitted, ...report.omitted] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
