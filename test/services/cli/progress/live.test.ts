/** The live line, drawn on a stream that says it is a terminal. */
import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { liveText } from '../../../../services/cli/progress/live.ts';
import { isLive } from '../../../../services/cli/progress/open-progress.ts';

const WORK = { turn: 2, tokens: 1_000, costUsd: 0.5, explorers: ['Who calls it?'], waitsFor: 'explorers' } as const;

test('the line has phase, turn, tokens, money, explorers and silence', () => {
  const state = { phase: 'reviewing \u001b[2J', work: WORK, silentS: 12, notices: [] };
  expect(liveText(state)).toBe(
    'reviewing [U+001B][2J · turn 2 · 1,000 tokens · $0.5000 · explorers: Who calls it? · no answer for 12 s',
  );
  expect(liveText({ ...state, phase: 'posting', work: null, silentS: 0 })).toBe('posting');
});

/** In a process of its own: on a build server ink draws the last frame only, and decides so when it is loaded. */
const DRAW = `
import { PassThrough } from 'node:stream';
import { openLive } from ${JSON.stringify(new URL('../../../../services/cli/progress/live.ts', import.meta.url).href)};
const stream = new PassThrough();
stream.pipe(process.stdout);
// A stream with what a terminal has: ink reads nothing else of it.
const view = openLive(Object.assign(stream, { isTTY: true, columns: 100, rows: 24 }));
view.step('reviewing');
view.notice('no cage');
view.work(${JSON.stringify(WORK)}, 0);
await view.close();
`;

test('it changes in place, notices stay, and at the end the line is erased', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', DRAW];
  const { stdout: drawn } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, CI: 'false' } });
  const words = stripVTControlCharacters(drawn);
  for (const text of ['reviewing', 'fixpoint: no cage', 'turn 2 · 1,000 tokens']) expect(words).toContain(text);
  const end = drawn.slice(drawn.lastIndexOf('turn 2'));
  // Erases the line.
  expect(end).toContain(`${String.fromCharCode(27)}[2K`);
});

const SIZE = { rows: 24, columns: 80 };

test.each([
  [{ isTTY: true, ...SIZE }, {}, {}, true],
  [{ isTTY: false, ...SIZE }, {}, {}, false],
  [SIZE, {}, {}, false],
  [{ isTTY: true, ...SIZE }, {}, { verbose: true }, false],
  [{ isTTY: true, ...SIZE }, { NO_COLOR: '1' }, {}, false],
  [{ isTTY: true, ...SIZE }, { TERM: 'dumb' }, {}, false],
  [{ isTTY: true, ...SIZE }, { CI: 'true' }, {}, false],
  [{ isTTY: true, ...SIZE }, { CI: 'false' }, {}, true],
  // The size is not known, or too small: redrawing would erase the screen.
  [{ isTTY: true }, {}, {}, false],
  [{ isTTY: true, rows: 0, columns: 0 }, {}, {}, false],
  [{ isTTY: true, rows: 4, columns: 80 }, {}, {}, false],
  [{ isTTY: true, rows: 24, columns: 19 }, {}, {}, false],
])('a live line on %j with %j and %j: %j', (stream, env, wish, expected) => {
  expect(isLive(stream, env, wish)).toBe(expected);
});
