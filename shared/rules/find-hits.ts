import { compareText } from '../text/compare-text.ts';
import type { OmittedFile } from '../vocabulary/coverage.ts';
import { type Analysis, createCovers, hitsIn, NO_ANALYSIS } from './model/analysis.ts';
import { quote } from './model/lines.ts';
import type { RuleHit, SourceFile } from './model/rule.ts';
import { RulesTimeoutError } from './model/errors.ts';
import { isNoise } from './noise.ts';
import { type ScannedFile, scanFileForSecrets, withCertificates } from './secrets/scan-secrets.ts';
import { scanStructural } from './structural-scan.ts';
import { STRUCTURAL_RULES } from './structural/catalogue.ts';
import { scanText, TEXT_RULES } from './text-rules.ts';

export type HitReport = {
  /** The hits, sorted by path, line and rule. */
  readonly hits: readonly RuleHit[];
  readonly omitted: readonly OmittedFile[];
  /** Those files of `omitted` whose secret scan did not complete. */
  readonly unscanned: ReadonlySet<string>;
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Whether an analyzer checked this rule in this file. If absent, none did. */
  readonly covers?: ReturnType<typeof createCovers>;
};

export const compareHits = (a: RuleHit, b: RuleHit): number =>
  compareText(a.path, b.path) ||
  a.startLine - b.startLine ||
  compareText(a.rule.id, b.rule.id) ||
  a.endLine - b.endLine;

/** A hit may be on a line that also contains a secret, so its quote is taken from the redacted text. */
const withoutSecrets = (hit: RuleHit, lines: readonly string[]): RuleHit => {
  const evidence = quote(lines, hit.startLine, hit.endLine);
  if (evidence === hit.evidence) return hit;
  return { ...hit, evidence, suggestion: null };
};

export const UNSCANNED = 'the secret scan did not finish';

const pathsOf = (files: readonly OmittedFile[]): ReadonlySet<string> => new Set(files.map(({ path }) => path));

/** A pattern that takes exponential time is not reported as one of quadratic time too. */
const withoutRepeated = (hits: readonly RuleHit[]): readonly RuleHit[] => {
  const exponential = new Set(
    hits.filter(({ rule }) => rule.id === 'js-slow-pattern').map(({ path, startLine }) => `${startLine} ${path}`),
  );
  return hits.filter(
    ({ rule, path, startLine }) => rule.id !== 'js-quadratic-pattern' || !exponential.has(`${startLine} ${path}`),
  );
};

/** Returns null if the scan timed out; then nothing from the file may be quoted. */
export const scanOrNull = async (file: SourceFile, signal: AbortSignal): Promise<ScannedFile | null> => {
  try {
    return await scanFileForSecrets(file, signal);
  } catch (error) {
    if (!(error instanceof RulesTimeoutError)) throw error;
    return null;
  }
};

/**
 * Finds hits on changed and unchanged lines, and adds those of the operator's analyzers.
 * @throws RulesEngineMissingError, RulesEngineFailedError; the signal's reason.
 */
export const findHits = async (
  files: readonly SourceFile[],
  signal: AbortSignal,
  analysis: Analysis = NO_ANALYSIS,
): Promise<HitReport> => {
  const lines = new Map<string, readonly string[]>();
  const secrets: RuleHit[] = [];
  const unscanned: OmittedFile[] = [];
  for (const file of files) {
    const scanned = await scanOrNull(file, signal);
    if (scanned === null) unscanned.push({ path: file.path, reason: UNSCANNED });
    secrets.push(...(scanned?.hits ?? []));
    lines.set(file.path, scanned?.lines ?? []);
  }
  const structural = await scanStructural(files, STRUCTURAL_RULES, signal);
  const found = [...withoutRepeated(structural.hits), ...scanText(files, TEXT_RULES)].filter(
    (hit) => !isNoise(hit, lines.get(hit.path) ?? []),
  );
  const hits = [...withCertificates(secrets, files), ...found, ...hitsIn(analysis, lines)]
    .map((hit) => withoutSecrets(hit, lines.get(hit.path) ?? []))
    .toSorted(compareHits);
  return {
    hits,
    omitted: [...structural.omitted, ...unscanned],
    lines,
    unscanned: pathsOf(unscanned),
    covers: createCovers(analysis),
  };
};
