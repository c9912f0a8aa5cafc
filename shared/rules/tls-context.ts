/** Places at which TLS verification is switched off for a reason that the code shows. */
import type { RuleHit } from './model/rule.ts';

const LINES_ABOVE = 12;
const LINES_BELOW = 25;
/** The address belongs to the same statement as the setting, or to the one beside it. */
const LINES_TO_ADDRESS = 6;
const LINES_OF_COMMENT = 4;
const MAX_LINE_CHARACTERS = 500;

/** A program that asks its own service whether it is alive. */
const HEALTH_CHECK = /health-?_?check/i;
/** This machine, or another container of the same installation. */
const OWN_SERVER =
  /\b(?:(?:localhost|127\.0\.0\.1)(?!\.?[\w-]|(?::[^\s@/]{0,60})?@)|gethostbynamel?\()|\[::1\]|unix:\/|\.sock\b/;
/** Other verification takes the place of that of the library. */
const OWN_CHECK =
  /\b(?:VerifyPeerCertificate|VerifyConnection|checkServerIdentity|requestCert|set_verify_callback|pinned\w{0,20})\b/i;
/** A condition on a setting. Whether the connection failed before is none. */
const CONDITION = /^\s*(?:\}?\s*(?:else\s+)?(?:if|unless|elif|elsif|switch|case|when|match)\b.*|.*\?\s*$|.*&&\s*$)/;
const BY_SETTING = /insecure|verif|skip|ignore|validat|allow|unsafe|NODE_ENV|production|develop|debug|\bdev\b|ssl|tls/i;
const BY_ERROR = /\berr(?:or)?\b|exception|\.message\b/i;
/** The name of a function for connections without verification, which its callers choose. */
const NAMED = /\b(?:def|func|function|fn|fun)\s.{0,120}?(?:without_?verif|insecure|unverified|no_?verif|skip_?verif)/i;

const RUST_FILE = /\.rs$/;
/** The statement below is only compiled for tests, or with a feature for tests such as `test-utils`. */
const ONLY_IN_TESTS =
  /^\s{0,99}#\[cfg\((?:all\()?(?:test|feature\s{0,3}=\s{0,3}"test(?:s|ing)?(?:[-_][\w-]{0,40})?")\s{0,9}[,)][^\]]{0,300}\]\s{0,99}(?:\/\/.{0,300})?$/;

const COMMENT = /^\s{0,200}(?:\/\/|\/\*|\*(?=[\s/])|#|--)|\s(?:\/\/|#)\s/;
/** Says why, and not only that the connection uses TLS. */
const REASON =
  /self-?\s?signed|\b(?:pinned|fingerprint|intermediate|man-in-the-middle|mitm)\b|\b(?:not?|without|skip\w{0,4}|ignor\w{0,3}|disabl\w{0,3}|accept\w{0,3}|allow\w{0,3}|cannot|can't|don't)\b.{0,60}\b(?:verif\w{0,10}|valid\w{0,6}|certificates?|trust\w{0,6})\b/i;
/** Comments that only switch off another tool. */
const SUPPRESSION = /eslint|nolint|noqa|nosec|nosonar|noinspection|rubocop|phpcs|@SuppressWarnings/i;

const isReason = (line: string): boolean => COMMENT.test(line) && REASON.test(line) && !SUPPRESSION.test(line);

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The lines above that open the blocks around the line, nearest first. */
const openersOf = (lines: readonly string[], startLine: number): readonly string[] => {
  const found: string[] = [];
  let indent = indentOf(lines[startLine - 1] ?? '');
  for (let index = startLine - 2; index >= Math.max(0, startLine - 1 - LINES_ABOVE); index -= 1) {
    const line = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    found.push(line);
  }
  return found;
};

const isTlsRule = (id: string): boolean => id.endsWith('-tls-not-verified') || id === 'js-tls-switched-off';

/**
 * Whether the connection is one to an own server, a setting or a named function chooses it, another check takes the
 * place of the verification, or a comment gives the reason.
 */
export const isDeliberate = ({ rule, path, startLine, endLine }: RuleHit, lines: readonly string[]): boolean => {
  if (!isTlsRule(rule.id)) return false;
  if (HEALTH_CHECK.test(path)) return true;
  const near = (above: number, below: number): readonly string[] =>
    lines.slice(Math.max(0, startLine - 1 - above), endLine + below).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  if (near(LINES_TO_ADDRESS, LINES_TO_ADDRESS).some((line) => OWN_SERVER.test(line))) return true;
  if (near(LINES_ABOVE, LINES_BELOW).some((line) => OWN_CHECK.test(line))) return true;
  if (near(LINES_OF_COMMENT, 0).some(isReason)) return true;
  if (RUST_FILE.test(path) && ONLY_IN_TESTS.test((lines[startLine - 2] ?? '').slice(0, MAX_LINE_CHARACTERS)))
    return true;
  return openersOf(lines, startLine).some(
    (line) => NAMED.test(line) || (CONDITION.test(line) && BY_SETTING.test(line) && !BY_ERROR.test(line)),
  );
};
