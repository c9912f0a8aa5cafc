/** Finds lines that the rules do not check: those that could not be parsed, are too long, or were written by a build tool. */
import { RulesEngineFailedError } from './model/errors.ts';
import { unreadLines } from './lines/line-matches.ts';
import { isCiFile, lineLanguageOf } from './model/language.ts';
import { splitLines } from './model/lines.ts';
import { GREP_LANGUAGES, type SourceFile, type StructuralRule } from './model/rule.ts';
import { builtLines, type LineRange } from './noise.ts';
import { scanStructural } from './structural-scan.ts';

const PARSE_ERROR: StructuralRule = {
  id: 'parse-error',
  severity: 'P3',
  blocking: false,
  title: 'The file could not be parsed here',
  explanation: 'Never reported. The rules treat these lines as not reviewed.',
  languages: GREP_LANGUAGES,
  rule: { kind: 'ERROR' },
  examples: [],
};

/** Returns these lines by path. A file without a parser or a complete parse has no entry. @throws RulesEngineMissingError. */
export const findUncheckedLines = async (
  files: readonly SourceFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly LineRange[]>> => {
  const unchecked = new Map<string, LineRange[]>();
  try {
    const { hits, omitted } = await scanStructural(files, [PARSE_ERROR], signal);
    for (const file of files) unchecked.set(file.path, withoutParser(file));
    for (const { path, startLine, endLine } of hits) unchecked.get(path)?.push({ startLine, endLine });
    for (const { path } of omitted) unchecked.delete(path);
  } catch (error) {
    if (!(error instanceof RulesEngineFailedError)) throw error;
  }
  return unchecked;
};

const withoutParser = ({ path, text }: SourceFile): LineRange[] => {
  const lines = splitLines(text);
  const unread = lineLanguageOf(path) === null && !isCiFile(path) ? [] : unreadLines(lines);
  return [...builtLines(path, lines), ...unread.map((line) => ({ startLine: line, endLine: line }))];
};
