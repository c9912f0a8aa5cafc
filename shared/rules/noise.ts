/** Places at which nobody acts on a finding: what a build tool wrote, what a comment explains, and generated files. */
import { isBuiltPath, isInstallerPath } from './model/language.ts';
import { isLibraryPath } from './model/library-path.ts';
import type { RuleHit } from './model/rule.ts';
import { isDeliberate } from './tls-context.ts';

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

/** Scripts of developers, who run them on their own machines with their own arguments, and programs for a terminal. */
const SCRIPT_PATH =
  /(?:^|\/)(?:bin|scripts?|tools?|contrib|hack|setup|cli|build|ci|\.ci|\.github|release|packaging)\/|\.rake$|(?:^|\/)(?:Rakefile|gulpfile|Gruntfile)[^/]{0,40}$|(?:^|\/)(?:build|release|deploy|install|setup|webpack|vite|rollup|fabfile)(?:[.-][^/]{0,40})?\.\w{1,4}$/i;
/** Changes of a database that the operator runs once, with the data that is already in it or that he types. */
const MIGRATION_PATH =
  /(?:^|\/)(?:db\/migrate|migrat(?:e|ions?)|upgrades?|updates|alembic)\/|[mM]igrat(?:e|ion)[^/]{0,80}$/;
/** Pages about the program, whose text its authors write. */
const DOCUMENTATION_PATH = /(?:^|\/)(?:docs?|documentation|storybook|\.storybook|\.vitepress)\//i;

/** Code of web pages, in which a visitor can only slow down his own browser, and settings of tools. */
const PAGE_PATH =
  /(?:^|\/)(?:public|static|assets|htdocs|webapp|www|wwwroot|web_src|frontend|client|browser|components|composables|hooks|views|ui|resources\/js|app\/javascript)\/|\.(?:vue|svelte|[jt]sx)$|\.config\.[cm]?[jt]s$/i;

/** More of these, and texts of the program. */
const MORE_PAGES =
  /(?:^|\/)(?:res|skins?|themes?|styling|locales?|i18n|examples?|demos?|benchmarks?|sandbox|playground)\//i;

/** Scripts of web pages, by their folder. A key of an object that the visitor chooses there harms only the visitor. */
const BROWSER_PATH = /(?:^|\/)(?:public|static|assets|htdocs|webapp|www|wwwroot)\//i;

const isAboutServers = (rule: RuleHit['rule']): boolean => rule.id.endsWith('-quadratic-pattern');

const runsShell = (rule: RuleHit['rule']): boolean =>
  /-shell-(?:by-string|number-unchecked|from-parameters)$/.test(rule.id);
const isSql = (rule: RuleHit['rule']): boolean => /-sql-(?:concat|interpolation)$/.test(rule.id);
const isHtml = (rule: RuleHit['rule']): boolean =>
  /-(?:inner-html|unsafe-html|unescaped-html|html-variable)$/.test(rule.id);

/** Whether the operator runs the statement once. An installer is also a page, so what a request gives it is reported there. */
const isOfOperator = (rule: RuleHit['rule'], path: string): boolean =>
  MIGRATION_PATH.test(path) || (rule.severity > 'P1' && isInstallerPath(path));

/** Whether nobody acts on findings of the rule in files with this path. Secrets are reported in libraries too. */
const isHarmlessPath = (rule: RuleHit['rule'], path: string): boolean => {
  if (!rule.id.startsWith('text-') && isLibraryPath(path)) return true;
  if (runsShell(rule)) return SCRIPT_PATH.test(path);
  if (isAboutServers(rule))
    return [PAGE_PATH, MORE_PAGES, SCRIPT_PATH, DOCUMENTATION_PATH].some((pattern) => pattern.test(path));
  if (rule.id.endsWith('-prototype')) return BROWSER_PATH.test(path);
  if (isSql(rule)) return isOfOperator(rule, path);
  return isHtml(rule) && DOCUMENTATION_PATH.test(path);
};

const REMOVED = /\brm\s[^;&|]{0,200}?\$\{?(\w{1,60})/;

/** Whether the script shows that the variable of an `rm -r` is not empty: it is assigned, or checked, or must be set. */
const isNeverEmpty = ({ startLine }: RuleHit, lines: readonly string[]): boolean => {
  const [, name] = REMOVED.exec((lines[startLine - 1] ?? '').slice(0, 500)) ?? [];
  if (name === undefined) return false;
  const assigned = new RegExp(`(?:^|[\\s;])${name}=["']?[^\\s"';$\`]`);
  const checked = new RegExp(`-[zndef]\\s{1,3}"?\\$\\{?${name}\\b|\\$\\{${name}:[?=-]|(?:for|in)\\s{1,3}${name}\\b`);
  return lines
    .slice(0, startLine - 1)
    .some(
      (line) =>
        /^\s{0,20}set\s{1,3}(?:-[a-z]{0,9}u|-o\s{1,3}nounset)/.test(line) || assigned.test(line) || checked.test(line),
    );
};

const SKIPPED_IN_RUST = /^\s{0,99}#\[\s{0,3}ignore\s{0,3}\]/;
const MIN_OF_CONVENTION = 3;

/** Whether the file skips several tests in this way, such as slow ones that people run by name. */
const isConvention = ({ rule }: RuleHit, lines: readonly string[]): boolean =>
  rule.id === 'rs-skipped-test' && lines.filter((line) => SKIPPED_IN_RUST.test(line)).length >= MIN_OF_CONVENTION;

/** `lines`: those of the file. */
export const isNoise = (hit: RuleHit, lines: readonly string[]): boolean => {
  const { rule, path, startLine, endLine } = hit;
  if (isBuiltPath(path) || lines.slice(startLine - 1, endLine).some(isBuiltLine)) return true;
  if (isHarmlessPath(rule, path) || isDeliberate(hit, lines) || isConvention(hit, lines)) return true;
  if (rule.id === 'sh-remove-under-variable' && isNeverEmpty(hit, lines)) return true;
  if (rule.silentIf === 'explained' && isExplained(lines, hit)) return true;
  return rule.severity > 'P1' && !rule.blocking && isGenerated(lines);
};
