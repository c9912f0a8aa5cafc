import { expect, test } from 'vitest';
import { type HitsWish, hitsOfMatches } from '../../../shared/rules/hits-of-matches.ts';
import type { RuleMatch } from '../../../shared/rules/hit-of-match.ts';
import { RulesEngineFailedError, RulesTimeoutError } from '../../../shared/rules/model/errors.ts';
import { scanWith } from '../../../shared/rules/structural-scan.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';

const RULES = new Map(STRUCTURAL_RULES.map((rule) => [rule.id, rule]));
const never = new AbortController().signal;

/** The matches of `js-eval` in these lines of JavaScript, one a line. */
const wishOf = (lines: readonly string[], more: Partial<HitsWish> = {}): HitsWish => {
  const matches = lines.flatMap((text, line): RuleMatch[] =>
    text.startsWith('eval(')
      ? [{ file: '0-0.js', ruleId: 'js-eval@JavaScript', text, range: { start: { line }, end: { line } } }]
      : [],
  );
  const text = `${lines.join('\n')}\n`;
  const file = { path: 'a.js', text };
  return {
    matches: matches.map((match) => ({ ...match, ...metavariables(match) })),
    files: [{ file, firstLine: 1, name: '0-0.js', content: text, language: 'JavaScript' }],
    rules: RULES,
    knownPatterns: new Map(),
    endsAtMs: Number.POSITIVE_INFINITY,
    ...more,
  };
};

const metavariables = ({ text, range }: RuleMatch): Pick<RuleMatch, 'metaVariables'> => ({
  metaVariables: { single: { CODE: { text: text.slice(5, -2), range } } },
});

/** Each name is a sum of all the names below it. */
const NAMES = 50;
const tangle = Array.from(
  { length: NAMES },
  (_, index) => `a${index} = ${Array.from({ length: NAMES }, (_each, other) => `a${other + 1}`).join(' + ')};`,
);

test('a match is a hit', async () => {
  const hits = await hitsOfMatches(wishOf(['eval(a);', 'f();', 'eval(b);']), never);
  expect(hits.map(({ rule, startLine }) => `${startLine} ${rule.id}`)).toEqual(['1 js-eval', '3 js-eval']);
});

test('the work for one file has a limit', async () => {
  const lines = [...tangle, 'eval(a0);'];
  await expect(hitsOfMatches(wishOf(lines, { maxUnits: 20_000 }), never)).rejects.toThrow(RulesEngineFailedError);
  expect(await hitsOfMatches(wishOf(lines), never)).toHaveLength(1);
});

test('the work ends with the time, between matches and within one', async () => {
  const times = [0, 0, 0, 1_000];
  const now = (): number => times.shift() ?? 2_000;
  const over = { endsAtMs: 1_000, now };
  await expect(hitsOfMatches(wishOf([...tangle, 'eval(a0);'], over), never)).rejects.toThrow(RulesTimeoutError);
  expect(times).toEqual([]);
  await expect(hitsOfMatches(wishOf(['eval(a);'], { endsAtMs: 0 }), never)).rejects.toThrow(RulesTimeoutError);
});

test('a signal that is raised between two matches ends the work', async () => {
  const controller = new AbortController();
  let time = 0;
  const now = (): number => (time += 30);
  const lines = Array.from({ length: 100 }, () => 'eval(a);');
  setImmediate(() => controller.abort(new Error('stopped')));
  await expect(hitsOfMatches(wishOf(lines, { now }), controller.signal)).rejects.toThrow('stopped');
});

test('a scan reports a file that runs out of time as omitted', async () => {
  const wish = { files: [{ path: 'a.js', text: 'eval(a);\n' }], rules: STRUCTURAL_RULES, totalMs: 0 };
  expect(await scanWith(wish, never)).toEqual({
    hits: [],
    omitted: [{ path: 'a.js', reason: 'the rules engine ran out of time' }],
  });
});
