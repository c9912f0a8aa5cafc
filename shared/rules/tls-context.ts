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
    // A brace on a line of its own belongs to the line above it.
    const isBrace = /^\s*(?:\{|do|then|\)\s*\{?)\s*$/.test(line);
    indent = indentOf(line) + (isBrace ? 1 : 0);
    if (!isBrace) found.push(line);
  }
  return found;
};

const isTlsRule = (id: string): boolean => id.endsWith('-tls-not-verified') || id === 'js-tls-switched-off';

/**
 * Whether the connection is one to an own server, a setting or a named function chooses it, another check takes the
 * place of the verification, or a comment gives the reason.
 */
export const isDeliberate = ({ rule, path, startLine, endLine }: RuleHit, lines: readonly string[]): boolean => {
  // A function whose name says that it does not verify a token.
  if (rule.id.endsWith('-token-not-verified')) return openersOf(lines, startLine).some((line) => NAMED.test(line));
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

/** A condition on an option, whose name may say nothing about verification. */
const BY_OPTION =
  /\b(?:\w{0,40}_?(?:opt(?:ion)?s?|config(?:uration)?|conf|cfg|settings?|flags?|args|prefs?|preferences)(?:\.|\[|->|::|\()|(?:get|has)_?(?:opt(?:ion)?|config|setting|flag)\w{0,20}\()|trust|self_?-?signed|secure|\bstrict|\blocal|proxy/i;
/** What a program asks of any server only to learn whether it answers, and pictures. */
const ONLY_ASKS =
  /(?<![A-Za-z])(?:ping|health[yz]?|alive|reachab(?:le|ility)|heartbeat|uptime|(?:fav_?)?icon|thumbnail|avatar|probe)(?:s|ed|er|ing)?(?![a-z])|[a-z](?:Ping|Health|Icon|Alive|Reachable|Probe|Favicon)(?![a-z])/;
/** What must not be sent to somebody else, or what changes the server. */
const SENDS =
  /password|passwd|\bpass\b|\bpwd\b|token|secret|credential|api_?-?key|bearer|\bauthoriz|\bauth\b|\bcookies?["']?\s{0,3}(?::|=)|set_?cookie|CURLOPT_COOKIE|USERPWD|session_?id|\.(?:post|put|patch|delete)\s{0,3}\(|POSTFIELDS|CURLOPT_POST\b|method["']?\s{0,3}[:=]>?\s{0,3}["'](?:POST|PUT|PATCH|DELETE)/i;
/** This network, by its addresses and the names in it. */
const LOCAL_SERVER =
  /\b(?:10\.\d{1,3}|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b|\/\/[\w-]{1,60}(?:\.(?:local|lan|internal|home|svc|cluster\.local))(?=[:/"'`\s])/;

/**
 * Whether verification is off by an option of the user, for a server in this network, or for a request that only asks whether a
 * server answers or gets a picture, and nothing near sends a secret. Whether it may be so, the author decides.
 */
export const isExcusable = ({ rule, startLine, endLine }: RuleHit, lines: readonly string[]): boolean => {
  if (!isTlsRule(rule.id)) return false;
  const openers = openersOf(lines, startLine);
  if (openers.some((line) => CONDITION.test(line) && BY_OPTION.test(line) && !BY_ERROR.test(line))) return true;
  const isNear = (pattern: RegExp, above: number): boolean =>
    lines
      .slice(Math.max(0, startLine - 1 - above), endLine + LINES_ABOVE)
      .some((line) => pattern.test(line.slice(0, MAX_LINE_CHARACTERS)));
  if (isNear(SENDS, LINES_ABOVE)) return false;
  return isNear(LOCAL_SERVER, LINES_ABOVE) || isNear(ONLY_ASKS, 2) || openers.some((line) => ONLY_ASKS.test(line));
};
