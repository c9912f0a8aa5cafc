/** Places at which nobody acts on a finding: what a build tool wrote, what a comment explains, and generated files. */
import { isBuiltPath } from './model/language.ts';
import type { RuleHit } from './model/rule.ts';

/** No formatter writes longer lines. */
const MAX_WRITTEN_CHARACTERS = 1_000;
/** A long line with fewer signs of code is data, such as an image. */
const LEAST_CODE_SIGNS = 20;

/** Whether a build tool wrote the line. */
const isBuiltLine = (line: string): boolean =>
  line.length > MAX_WRITTEN_CHARACTERS && (line.match(/[;{}]/g)?.length ?? 0) >= LEAST_CODE_SIGNS;

export type LineRange = { readonly startLine: number; readonly endLine: number };

/** The lines, counted from 1, that a build tool wrote. The rules report nothing about them, so they do not count as checked. */
export const builtLines = (path: string, lines: readonly string[]): readonly LineRange[] =>
  isBuiltPath(path)
    ? [{ startLine: 1, endLine: lines.length }]
    : lines.flatMap((line, index) => (isBuiltLine(line) ? [{ startLine: index + 1, endLine: index + 1 }] : []));

const COMMENT = /(?:^|\s)(?:\/\/|\/\*|#|--)[\s*]{0,9}[\p{L}\p{N}]/u;
const COMMENT_LINE = /^\s{0,200}(?:\/\/|\/\*|\*(?=[\s/])|#)/;
/** Comments that switch off another tool. They say nothing about the reason. */
const SUPPRESSION =
  /ast-grep|biome-|eslint|tslint|prettier|secretlint|noqa|nolint|nosec|nosonar|noinspection|pylint|mypy|rubocop|phpcs|phpstan|psalm|@ts-|@suppress|type: ignore/i;

/** Whether a comment in the lines, or right above them, gives a reason. */
const isExplained = (lines: readonly string[], { startLine, endLine }: LineRange): boolean =>
  lines.slice(startLine - 1, endLine).some((line) => COMMENT.test(line) && !SUPPRESSION.test(line)) ||
  isReason(lines[startLine - 2] ?? '');

const isReason = (above: string): boolean => COMMENT_LINE.test(above) && !SUPPRESSION.test(above);

const HEADER_LINES = 6;
const HEADER_CHARACTERS = 300;
const GENERATED = /\b(?:auto-?)?generated (?:by|file|from|code)\b|\bdo not edit\b/i;

/** Whether the first lines say that a program wrote the file. The author may have written them, so this hides no blocking rule. */
const isGenerated = (lines: readonly string[]): boolean =>
  lines.slice(0, HEADER_LINES).some((line) => GENERATED.test(line.slice(0, HEADER_CHARACTERS)));

/** Scripts of developers, who run them on their own machines with their own arguments. */
const SCRIPT_PATH =
  /(?:^|\/)(?:bin|scripts?|tools?|contrib|hack|setup)\/|\.rake$|(?:^|\/)(?:Rakefile|gulpfile|Gruntfile)[^/]{0,40}$/i;

/** Code of web pages, in which a visitor can only slow down his own browser, and settings of tools. */
const PAGE_PATH =
  /(?:^|\/)(?:public|static|assets|htdocs|webapp|www|wwwroot|web_src|frontend|client|browser|components|composables|hooks|views|ui|resources\/js|app\/javascript)\/|\.(?:vue|svelte|[jt]sx)$|\.config\.[cm]?[jt]s$/i;

const isAboutServers = (rule: RuleHit['rule']): boolean => rule.id.endsWith('-quadratic-pattern');

const runsShell = (rule: RuleHit['rule']): boolean => rule.id.endsWith('-shell-by-string');

/** `lines`: those of the file. */
export const isNoise = (hit: RuleHit, lines: readonly string[]): boolean => {
  const { rule, path, startLine, endLine } = hit;
  if (isBuiltPath(path) || lines.slice(startLine - 1, endLine).some(isBuiltLine)) return true;
  if (runsShell(rule) && SCRIPT_PATH.test(path)) return true;
  if (isAboutServers(rule) && (PAGE_PATH.test(path) || SCRIPT_PATH.test(path))) return true;
  if (rule.silentIf === 'explained' && isExplained(lines, hit)) return true;
  return rule.severity > 'P1' && !rule.blocking && isGenerated(lines);
};
