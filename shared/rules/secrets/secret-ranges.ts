import { setImmediate } from 'node:timers/promises';
import { RulesTimeoutError } from '../model/errors.ts';
import type { RuleFacts } from '../model/rule.ts';
import { isHarmlessAddress, isPlaceholder, looksRandom } from './placeholder.ts';
import {
  OTHER_SECRET,
  SECRET_PATTERNS,
  SECRETLINT_RULES,
  type SecretPattern,
  SHOWS_THE_FORM,
} from './secret-patterns.ts';
import { runSecretlint } from './secretlint-engine.ts';

/** Text is scanned in windows, which limits the work of each pattern and allows text of any length. */
const WINDOW_CHARS = 128 * 1024;
/** Windows overlap by more than the length of any secret that the patterns match. */
const OVERLAP_CHARS = 24 * 1024;
const TIMEOUT_MS = 30_000;
/** About two lines before and after. */
const NEAR_CHARS = 160;

/** Offsets in UTF-16 units; `end` is exclusive. The ranges are sorted and do not overlap. */
export type SecretRange = {
  readonly start: number;
  readonly end: number;
  readonly rule: RuleFacts;
  readonly harmlessInTests: boolean;
};

/** Whether the line shows how such a value is written. */
const isShown = (text: string, start: number): boolean => {
  const before = text.slice(Math.max(0, start - NEAR_CHARS), start);
  return SHOWS_THE_FORM.test(before.slice(before.lastIndexOf('\n') + 1));
};

const near = (text: string, start: number, end: number): string =>
  `${text.slice(Math.max(0, start - NEAR_CHARS), start)}${text.slice(end, end + NEAR_CHARS)}`;

const byPattern = (
  { rule, pattern, mustLookRandom, harmlessInTests, publicIfNear, isPublic, mayBeShown }: SecretPattern,
  text: string,
): readonly SecretRange[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups?.['secret'] ?? match[0];
    const start = match.index + match[0].lastIndexOf(value);
    if (publicIfNear?.test(near(text, start, start + value.length)) === true) return [];
    if (isPublic?.(value) === true) return [];
    if (mayBeShown === true && isShown(text, start)) return [];
    const harmless = mustLookRandom ? !looksRandom(value) : isPlaceholder(value) || isHarmlessAddress(value);
    return harmless ? [] : [{ start, end: start + value.length, rule, harmlessInTests }];
  });

/** Services whose tokens begin with letters of their own, which samples keep. */
const OF_A_SERVICE: ReadonlySet<string> = new Set(['slack', 'npm', 'github', 'sendgrid']);

const MIN_TOKEN_CHARACTERS = 24;

/** Whether the token is made of words or of one sign, or too short, such as `xoxb-my-bot-token` and `xoxb-1234-xxxxxx`. */
const isSampleToken = (token: string): boolean =>
  token.length < MIN_TOKEN_CHARACTERS || /^[a-z]{1,9}(?:-[a-z]{1,20}){1,9}$|[xX0*]{6}/.test(token);

const bySecretlint = async (text: string): Promise<readonly SecretRange[]> => {
  const hits = await runSecretlint(text);
  return hits.flatMap(({ ruleId, start, end }) => {
    const name = ruleId.slice(ruleId.indexOf('secretlint-rule-') + 'secretlint-rule-'.length);
    const isAddress = name === 'basicauth' || name === 'database-connection-string';
    if (isAddress && isHarmlessAddress(text.slice(start, end))) return [];
    if (isAddress && isShown(text, start)) return [];
    if (OF_A_SERVICE.has(name) && isSampleToken(text.slice(start, end))) return [];
    const harmlessInTests = isAddress || name === 'privatekey';
    return [{ start, end, rule: SECRETLINT_RULES.get(name) ?? OTHER_SECRET, harmlessInTests }];
  });
};

const merge = (ranges: readonly SecretRange[]): readonly SecretRange[] => {
  const merged: SecretRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) {
      merged.push(range);
      continue;
    }
    const worse = range.rule.severity < last.rule.severity ? range : last;
    const harmlessInTests = last.harmlessInTests && range.harmlessInTests;
    merged[merged.length - 1] = {
      start: last.start,
      end: Math.max(last.end, range.end),
      rule: worse.rule,
      harmlessInTests,
    };
  }
  return merged;
};

/** @throws RulesTimeoutError after 30 s: text that was not scanned completely must not be shown. */
export const findSecretRanges = async (text: string, signal: AbortSignal): Promise<readonly SecretRange[]> => {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  const found: SecretRange[] = [];
  for (let from = 0; from === 0 || from + OVERLAP_CHARS < text.length; from += WINDOW_CHARS - OVERLAP_CHARS) {
    signal.throwIfAborted();
    if (performance.now() >= endsAtMs) throw new RulesTimeoutError({ timeoutMs: TIMEOUT_MS, reason: 'secrets' });
    const window = text.slice(from, from + WINDOW_CHARS);
    const ranges = [
      ...(await bySecretlint(window)),
      ...SECRET_PATTERNS.flatMap((pattern) => byPattern(pattern, window)),
    ];
    found.push(...ranges.map((range) => ({ ...range, start: range.start + from, end: range.end + from })));
    await setImmediate();
  }
  return merge(found);
};

/** Replaces each secret by `[redacted]` and keeps line breaks, so that line numbers stay valid. */
export const redactRanges = (text: string, ranges: readonly Pick<SecretRange, 'start' | 'end'>[]): string => {
  let redacted = '';
  let at = 0;
  for (const { start, end } of ranges) {
    const lines = text.slice(start, end).split('\n');
    redacted +=
      text.slice(at, start) + lines.map((line) => (line.endsWith('\r') ? '[redacted]\r' : '[redacted]')).join('\n');
    at = end;
  }
  return redacted + text.slice(at);
};

/** @throws the same errors as `findSecretRanges`. */
export const redactSecrets = async (text: string, signal: AbortSignal): Promise<string> =>
  redactRanges(text, await findSecretRanges(text, signal));
