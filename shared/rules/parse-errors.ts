/** Finds lines that the parser could not parse, on which no rule is reliable. */
import { RulesEngineFailedError } from './model/errors.ts';
import { GREP_LANGUAGES, type SourceFile, type StructuralRule } from './model/rule.ts';
import { scanStructural } from './structural-scan.ts';

export type LineRange = { readonly startLine: number; readonly endLine: number };

const PARSE_ERROR: StructuralRule = {
  id: 'parse-error',
  severity: 'P3',
  blocking: false,
  title: 'The file could not be parsed here',
  explanation: 'Never reported: the rules count these lines as not reviewed.',
  languages: GREP_LANGUAGES,
  rule: { kind: 'ERROR' },
  examples: [],
};

/** Returns lines with parse errors by path. A file without a parser or a complete parse has no entry. @throws RulesEngineMissingError. */
export const findParseErrors = async (
  files: readonly SourceFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly LineRange[]>> => {
  const errors = new Map<string, LineRange[]>();
  try {
    const { hits, omitted } = await scanStructural(files, [PARSE_ERROR], signal);
    for (const { path } of files) errors.set(path, []);
    for (const { path, startLine, endLine } of hits) errors.get(path)?.push({ startLine, endLine });
    for (const { path } of omitted) errors.delete(path);
  } catch (error) {
    if (!(error instanceof RulesEngineFailedError)) throw error;
  }
  return errors;
};
