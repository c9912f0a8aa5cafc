/** Parsers need only linear time for untrusted text. `npm run bench -- linear` measures the ratios. */
import { describe, expect, it } from 'vitest';
import { leadsHere } from '../../services/guard/sweep/sweep-hooks.ts';
import { affectedPlaces } from '../../services/reviewer/packet/affected.ts';
import { errorEventsOf } from '../../services/slots/agent/agent-output.ts';
import { hasStopMarker } from '../../services/slots/settings/stop-marker.ts';
import { pickedBead } from '../../services/slots/task/task.ts';
import { compareDiffs } from '../../shared/diff/delta.ts';
import { enclosingBlock } from '../../shared/diff/position/enclosing-block.ts';
import type { Diff } from '../../shared/diff/model.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import { areaOf } from '../../shared/protocol/round/round-findings.ts';
import { isTestPath } from '../../shared/rules/model/language.ts';
import { isPlaceholder } from '../../shared/rules/secrets/placeholder.ts';
import { readQuotation } from '../../shared/text/printed-quotation.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { sanitize } from '../../shared/text/sanitize.ts';
import { scrub } from '../../shared/workspace/git/git.ts';
import { ADVERSARIAL, type Adversarial, repeated } from '../support/adversarial-texts.ts';
import { cpuMs } from '../support/doubling.ts';
import { LINEAR_SUBJECTS } from '../support/linear-subjects.ts';

const KI = 1024;
const CHARACTERS = 64 * KI;
/** Generous: most parsers take some milliseconds, a quadratic one takes minutes. */
const MOST_MS = 2_000;
const ROOM_MS = 240_000;

const IS_DEEP = process.env['FIXPOINT_DEEP'] === '1';
const EVERY = 60;

describe.each(LINEAR_SUBJECTS.map((subject, index) => ({ ...subject, index })))('$name', (subject) => {
  const { read, index, most = CHARACTERS, spawns = false } = subject;
  // In the usual run each parser gets different texts, so that together they get all.
  const texts = ADVERSARIAL.filter((_text, at) => IS_DEEP || at % EVERY === index % EVERY);
  const own = spawns ? texts.slice(0, IS_DEEP ? EVERY : 1) : texts;

  it('F-E1: takes no longer than two seconds for 64 KB of any text', {
    timeout: IS_DEEP ? 3_600_000 : ROOM_MS,
  }, async () => {
    const slow: string[] = [];
    for (const { name, make } of own) {
      const text = make(Math.min(CHARACTERS, most));
      if ((await cpuMs(async () => read(text))) >= MOST_MS) slow.push(name);
    }
    expect(slow).toEqual([]);
  });
});

/** So long that a quadratic parser takes minutes. */
const MANY = 256 * KI;
const DASHES = '-'.repeat(5);
const KEY = `${DASHES}BEGIN PRIVATE KEY${DASHES}\nAA\n${DASHES}END PRIVATE KEY${DASHES}\n`;
const EVENT = `${JSON.stringify({ type: 'error', message: 'x' })}\n`;

const diffOf = (line: string): Diff =>
  parseDiff(`diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +1,1 @@\n+${line}\n`);

/** Cases in which quadratic time was found. */
const FOUND: readonly (readonly [string, () => unknown])[] = [
  ['private keys, each with its end', () => createRedactor([])(repeated(KEY, MANY))],
  ['a mention with a tail of dots', () => sanitize(`@a${repeated('.', MANY)}x!`, OPTIONS)],
  ['a last line of stars', () => hasStopMarker(`${repeated('*', MANY)}x`, ['no_beads_available'])],
  ['a quotation of blanks', () => readQuotation(`${repeated(' ', MANY)}x`)],
  ['a code span that is not closed', () => readQuotation(`${repeated('`', MANY)}a${repeated('`', MANY - 1)}`)],
  ['an arrow before blanks', () => enclosingBlock([`=>${repeated(' ', MANY)}x`, ' a'], 2)],
  ['a line of closing brackets', () => enclosingBlock(['def a', ' b', `${repeated(')', MANY)}x`], 2)],
  [
    'a path of tests',
    () => [isTestPath(`${repeated('.test.', MANY)}/x`), areaOf(`${repeated('.test.', MANY)}/x`, null)],
  ],
  ['a value of brackets', () => isPlaceholder(repeated('<z', MANY))],
  ['words of git without an end', () => scrub(repeated('a', MANY))],
  ['failures of a program', () => errorEventsOf(repeated(EVENT, 4 * MANY))],
  ['a definition before blanks', () => affectedPlaces(compareDiffs(diffOf('a'), diffOf(`let${repeated(' ', MANY)}1`)))],
  ['an address of slashes', () => leadsHere('a', `https://h/${repeated('/', MANY)}x`)],
  ['a command with many flags', () => pickedBead([repeated('bd -', MANY).replaceAll(' -', ' --')])],
];

const OPTIONS = { forgeBaseUrl: 'https://forge.example', mayMention: [], maxLength: 10_000_000, secrets: [] };

it.each(FOUND)('F-E1: %s takes no longer than its length', { timeout: ROOM_MS }, async (_name, read) => {
  expect(await cpuMs(read)).toBeLessThan(MOST_MS);
});

it('has texts that differ, and each is about as long as was asked for', () => {
  const names = ADVERSARIAL.map(({ name }: Adversarial) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { make } of ADVERSARIAL) {
    expect(make(CHARACTERS).length).toBeGreaterThan(CHARACTERS / 2);
    expect(make(CHARACTERS).length).toBeLessThan(2 * CHARACTERS);
  }
});
