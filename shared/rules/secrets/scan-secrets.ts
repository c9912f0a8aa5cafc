import { isCiFile, isSamplePath } from '../model/language.ts';
import { lineAt, lineStarts, quote, splitLines } from '../model/lines.ts';
import type { RuleFacts, RuleHit, SourceFile } from '../model/rule.ts';
import { testLines } from '../model/rust-tests.ts';
import { certificatesOf } from './certificates.ts';
import { hasWord } from './placeholder.ts';
import { findSecretRanges, redactRanges, type SecretRange } from './secret-ranges.ts';

export type ScannedFile = {
  /** Neither the hits nor their evidence contain the secret. */
  readonly hits: readonly RuleHit[];
  readonly lines: readonly string[];
};

/** A database that exists for one run of a pipeline. */
const THROWAWAY_DATABASE =
  /\b(?:mysql|mariadb|postgres|postgresql|pgsql|mongo|mongodb|redis|rabbitmq|sa|db|database)\b|_(?:db|database)_|\b(?:MYSQL|MARIADB|POSTGRES|PG|MONGO|REDIS|RABBITMQ|DB|SA)_?[A-Z_]{0,40}PASS/i;
/** A comment that shows data in JSON, such as an answer of a server. */
const DATA_IN_COMMENT = /^\s{0,200}(?:#|\/\/|\*)[:\s*]{0,9}[{"]/;

const HAS_BLOCK_COMMENTS = /\.(?:php|[cm]?[jt]sx?|java|kt|cs|go|rs|swift|scala)$/i;
/** A line of data, as in JSON. */
const DATA_LINE = /^\s{0,200}["'][^"']{1,80}["']\s{0,9}(?::|=>)/;
const MAX_COMMENT_CHARACTERS = 20_000;

/** Whether the line is data in a comment of several lines, which begins at the left of a line above. */
const isInComment = (path: string, text: string, line: string, lineStart: number): boolean => {
  if (!HAS_BLOCK_COMMENTS.test(path) || !DATA_LINE.test(line)) return false;
  const above = text.slice(Math.max(0, lineStart - MAX_COMMENT_CHARACTERS), lineStart);
  const [begin] = [...above.matchAll(/^[ \t]{0,99}\/\*/gm)].slice(-1);
  return begin !== undefined && !above.includes('*/', begin.index);
};

/** A name with its type and quotes. */
const MAX_NAME_CHARACTERS = 200;
/** The value that begins here has a name that says it is the hash of a password, such as `SHA256_PASSWORD`. */
const HASH_OF_PASSWORD =
  /(?:sha[-_]?\d{1,3}|md5|hash(?:ed)?)[-_]?pass(?:word|wd)?["'\])]{0,3}(?:\s{0,3}:\s{0,3}\w{1,20})?\s{0,3}(?:=>|:=|[:=])\s{0,9}[bru@$]{0,2}["'`]{0,3}$/i;
/** Settings that the operator copies and edits. A random value in them is rarely in use, but whoever does not edit it has it. */
const SAMPLE_SETTINGS =
  /(?:^|[/._-])(?:sample|example|defaults?|template|dist)(?=[._-])[^/]{0,60}env$|(?:^|[/._-])env(?:ironment)?[._-](?:sample|example|defaults?|template|dist)[^/]{0,20}$/i;

/** Whether the line shows that a value with the name of a credential opens nothing. `before`: the line up to the value. */
const opensNothing = (path: string, line: string, before: string): boolean =>
  DATA_IN_COMMENT.test(line) || HASH_OF_PASSWORD.test(before) || (isCiFile(path) && THROWAWAY_DATABASE.test(line));

/** Settings of a server on which people develop, which open nothing that others use. */
const DEVELOPMENT_SETTINGS =
  /(?:^|[/._-])(?:dev|development)(?:[._-][\w-]{1,30}){0,2}\.(?:env|ya?ml|json|toml|ini|properties|conf|config)$|(?:^|\/)\.env[._-](?:dev|development)$/i;
/** A key by whose path such a server, a test or a demonstration uses it. */
const DEVELOPMENT_KEY =
  /(?:^|\/)(?:dev|development|dummy|fake|demos?|tests?|testing|samples?|examples?|benchmarks?|vagrant|sandbox|insecure|localhost|self-?signed|snake-?oil|(?:certs?|keys?|ssl|tls)[-_.]for[-_.](?:tests?|testing|dev))\/(?:[^/]{1,99}\/){0,6}[^/]{1,99}$|(?:^|[/._-])(?:dev|development|dummy|fake|demo|tests?|testing|sample|example|benchmarks?|vagrant|sandbox|insecure|localhost|self-?signed|snake-?oil)(?=[._-])[^/]{0,99}(?:\/[^/]{1,99}){0,2}$/i;

/** A section of settings, such as those of Rails, that a server in use does not read. */
const SECTION = /^(\s{0,20})["']?(\w{1,40})["']?\s{0,3}:\s{0,3}(?:&\w{1,40}\s{0,3})?(?:#.*)?$/;
const SETTINGS_PATH = /\.ya?ml$/i;
const MAX_SECTION_LINES = 200;

/** Whether the line is in a section `test:` or `development:` at the left of the file. */
const isInTestSection = (path: string, lines: readonly string[], line: number): boolean => {
  if (!SETTINGS_PATH.test(path) || !/^\s/.test(lines[line - 1] ?? '')) return false;
  for (let index = line - 2; index >= Math.max(0, line - MAX_SECTION_LINES); index -= 1) {
    const text = (lines[index] ?? '').slice(0, 200);
    if (text.trim() === '' || /^[\s#]/.test(text)) continue;
    return /^(?:test|development)$/.test(SECTION.exec(text)?.[2] ?? '');
  }
  return false;
};

/** A path with both kinds of words, such as `dev-ops/production.key`, is that of a server in use. */
const PRODUCTION = /(?:^|[/._-])(?:prod|production|live)(?=[/._-])/i;

/** True if the path or the value shows that the secret probably opens nothing that other people use. */
const isMild = (path: string, rule: RuleFacts, value: string, text: string): boolean => {
  const isOf = (development: RegExp): boolean => development.test(path) && !PRODUCTION.test(path);
  if (rule.id === 'secret-private-key')
    return isOf(DEVELOPMENT_KEY) || (!PRODUCTION.test(path) && certificatesOf(text) === 'own');
  if (rule.id !== 'secret-credential') return false;
  return SAMPLE_SETTINGS.test(path) || isOf(DEVELOPMENT_SETTINGS) || hasWord(value);
};

/**
 * A value that only its name makes a credential is a remark in a sample, and if a person made it: such values are mostly
 * defaults that the operator replaces. So is a value of a server on which people develop.
 */
const factsIn = ({ path, text }: SourceFile, rule: RuleFacts, value: string): RuleFacts =>
  isMild(path, rule, value, text) ? { ...rule, severity: 'P2', blocking: false } : rule;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** The hits, of which a key is a P2 if the certificates beside it, in other files of the same folder, are for names of one's own. */
export const withCertificates = (hits: readonly RuleHit[], files: readonly SourceFile[]): readonly RuleHit[] => {
  if (hits.every(({ rule }) => rule.id !== 'secret-private-key')) return hits;
  const kinds = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const folder = kinds.get(folderOf(path)) ?? new Set();
    kinds.set(folderOf(path), folder.add(certificatesOf(text)));
  }
  return hits.map((hit): RuleHit => {
    const beside = kinds.get(folderOf(hit.path));
    const isOwn = beside?.has('own') === true && !beside.has('other');
    return hit.rule.id === 'secret-private-key' && isOwn && !PRODUCTION.test(hit.path)
      ? { ...hit, rule: { ...hit.rule, severity: 'P2', blocking: false } }
      : hit;
  });
};

/** Requests that people send from an editor, mostly to their own server. */
const REQUEST_FILE = /\.(?:rest|http)$/i;

const hitsOf = (file: SourceFile, ranges: readonly SecretRange[], lines: readonly string[]) => {
  const { path, text } = file;
  const starts = lineStarts(text);
  const sample = isSamplePath(path);
  const inTests = testLines(path, lines);
  const isToken = ({ rule }: SecretRange): boolean => rule.id === 'secret-jwt' && REQUEST_FILE.test(path);
  const isHarmless = (start: number): boolean => {
    const line = lineAt(starts, start);
    const lineStart = starts[line - 1] ?? 0;
    const before = text.slice(Math.max(lineStart, start - MAX_NAME_CHARACTERS), start);
    if (isInComment(path, text, lines[line - 1] ?? '', lineStart)) return true;
    if (isInTestSection(path, lines, line)) return true;
    return sample || inTests.has(line) || opensNothing(path, lines[line - 1] ?? '', before);
  };
  return ranges
    .filter((range) => !range.harmlessInTests || !(isToken(range) || isHarmless(range.start)))
    .map(({ start, end, rule }): RuleHit => {
      const startLine = lineAt(starts, start);
      const endLine = lineAt(starts, end - 1);
      return {
        rule: factsIn(file, rule, text.slice(start, end)),
        path,
        startLine,
        endLine,
        evidence: quote(lines, startLine, endLine),
        suggestion: null,
      };
    });
};

/** Does not use secretlint's own message, which quotes the secret. @throws RulesTimeoutError; the signal's reason. */
export const scanFileForSecrets = async (file: SourceFile, signal: AbortSignal): Promise<ScannedFile> => {
  const ranges = await findSecretRanges(file.text, signal);
  const lines = splitLines(redactRanges(file.text, ranges));
  return { hits: hitsOf(file, ranges, lines), lines };
};
