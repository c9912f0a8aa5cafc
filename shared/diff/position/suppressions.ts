/** Words in comments and annotations that silence a check. Adding such a comment does not count as a fix. */

const WORDS = [
  'nosec|noqa|nolint\\w*|nosemgrep|nosonar|noinspection|skipcq|nopep8',
  '(?:eslint|oxlint|tslint|stylelint|jshint|pylint|flake8|ktlint|swiftlint|rubocop|markdownlint|yamllint|shellcheck|phpcs)[-:_ ]{1,3}(?:disable|ignore|off)[\\w-]*',
  '(?:biome|prettier|semgrep|deepcode|phpstan|psalm|istanbul|c8|v8|tfsec|trivy|checkov|hadolint|kics|snyk|bearer)[-:_ ]{1,3}(?:ignore|skip|suppress|disable)[\\w-]*',
  'fixpoint[-:_ ]{1,3}(?:ignore|disable|allow|skip|off)[\\w-]*',
  '@ts-(?:ignore|nocheck|expect-error)|(?:type|pyright|mypy|pyre|pyre-fixme|ty)\\s{0,3}[:-]\\s{0,3}ignore[\\w-]*',
  '@?suppress(?:warnings|lint|fbwarnings)?(?=\\s{0,3}\\()|gitleaks:allow|pragma:\\s{0,3}(?:allowlist|no\\s{0,2}cover)',
  '(?:lgtm|codeql|coverity)\\s{0,3}\\[|#\\[allow\\(|checkstyle:off|scalastyle:off|codacy:disable|sonar-ignore',
].join('|');

const SUPPRESSION = new RegExp(`(?<![\\w.])(?:${WORDS})`, 'i');
const OPENER = /\/\/|\/\*|#|<!--|--|;|%/g;

export const isSuppression = (line: string): boolean => SUPPRESSION.test(line);

/** Removes the comment that silences a check; if an annotation does so, removes the whole line. */
export const withoutSuppression = (line: string): string => {
  const at = line.search(SUPPRESSION);
  if (at === -1) return line;
  const openers = [...line.matchAll(OPENER)].filter(({ index }) => index <= at);
  const from = openers.at(-1)?.index;
  if (from === undefined) return '';
  const end = line.indexOf('*/', at);
  return `${line.slice(0, from)}${end === -1 ? '' : line.slice(end + 2)}`;
};
