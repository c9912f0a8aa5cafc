/** What is said about a running review, by a clock of its own. */
import { expect, test } from 'vitest';
import { createLines } from '../../../../services/cli/progress/lines.ts';
import { createWatch, type LookAtWork, type ProgressView } from '../../../../services/cli/progress/watch.ts';
import type { Work } from '../../../../services/cli/progress/work.ts';

const WORK: Work = { turn: 3, tokens: 12_345, costUsd: 0.01234, explorers: [], waitsFor: 'model' };

const stage = (verbose = false) => {
  const said: string[] = [];
  let now = 0;
  const view = createLines({ write: (text) => void said.push(text), verbose });
  const watch = createWatch(view, () => now);
  /** As its owner does: twice a second. */
  const wait = async (seconds: number): Promise<readonly string[]> => {
    for (let half = 0; half < seconds * 2; half += 1) {
      now += 500;
      await watch.tick();
    }
    return said.splice(0);
  };
  return { watch, wait };
};

test('a pipe gets one line per phase, and nothing of the turns', async () => {
  const { watch, wait } = stage();
  watch.step('reviewing');
  watch.follow(async () => WORK);
  watch.notice('no cage');
  watch.step('posting');
  expect(await wait(5)).toEqual(['fixpoint: reviewing\n', 'fixpoint: no cage\n', 'fixpoint: posting\n']);
});

test('a call that hangs is told after ten seconds, and then once a minute', async () => {
  const { watch, wait } = stage();
  watch.step('reviewing');
  watch.follow(async () => WORK);
  expect(await wait(10)).toEqual(['fixpoint: reviewing\n']);
  expect(await wait(1)).toEqual(['fixpoint: reviewing: the model has not answered for 10 s\n']);
  expect(await wait(58)).toEqual([]);
  expect(await wait(2)).toEqual(['fixpoint: reviewing: the model has not answered for 70 s\n']);
});

test('what is waited for is named', async () => {
  const cases: readonly (readonly [LookAtWork | null, RegExp])[] = [
    [async () => ({ ...WORK, waitsFor: 'tools' }), /^fixpoint: x: the model's tools have not finished for 10 s\n$/],
    [async () => ({ ...WORK, waitsFor: 'explorers' }), /: the explorers have not answered for 10 s\n$/],
    [async () => null, /: nothing has happened for 10 s\n$/],
    [async () => Promise.reject(new Error('unreadable')), /: nothing has happened for 10 s\n$/],
    [null, /: nothing has happened for 10 s\n$/],
  ];
  for (const [look, words] of cases) {
    const { watch, wait } = stage();
    watch.step('x');
    watch.follow(look);
    expect((await wait(12)).slice(1)).toEqual([expect.stringMatching(words)]);
  }
});

test('before the first phase it is the forge that has not answered', async () => {
  expect(await stage().wait(11)).toEqual(['fixpoint: connecting: nothing has happened for 10 s\n']);
});

test('progress of any kind begins the ten seconds anew', async () => {
  const { watch, wait } = stage();
  let turn = 1;
  watch.follow(async () => ({ ...WORK, turn }));
  for (; turn < 5; turn += 1) expect(await wait(9)).toEqual([]);
  watch.step('posting');
  expect(await wait(9)).toEqual(['fixpoint: posting\n']);
  expect(await wait(2)).toHaveLength(1);
});

test('a new phase begins the ten seconds anew, too', async () => {
  const { watch, wait } = stage();
  for (const phase of ['one', 'two', 'three']) {
    watch.step(phase);
    expect(await wait(9)).toEqual([`fixpoint: ${phase}\n`]);
  }
});

test('verbose tells each turn once, with tokens, money and explorers', async () => {
  const { watch, wait } = stage(true);
  let work: Work = WORK;
  watch.follow(async () => work);
  expect(await wait(3)).toEqual(['fixpoint: turn 3 · 12,345 tokens · $0.0123\n']);
  work = { ...WORK, waitsFor: 'explorers', explorers: ['Who calls it?', `${'x'.repeat(60)}\u001b[2J`] };
  expect(await wait(3)).toEqual([
    `fixpoint: turn 3 · 12,345 tokens · $0.0123 · explorers: Who calls it?; ${'x'.repeat(39)}…\n`,
  ]);
});

test('text of a repository does not control the terminal, and makes no line of its own', async () => {
  const { watch, wait } = stage();
  watch.step('reviewing \u001b[2Jx\nfixpoint: lgtm');
  expect(await wait(1)).toEqual(['fixpoint: reviewing [U+001B][2Jx fixpoint: lgtm\n']);
});

test('the view learns how long nothing has happened, from ten seconds on', async () => {
  const seen: number[] = [];
  let now = 0;
  const view: ProgressView = {
    step: () => {},
    notice: () => {},
    work: (_work, silentS) => void seen.push(silentS),
    silent: () => {},
    close: async () => {},
  };
  const watch = createWatch(view, () => now);
  for (const at of [9_999, 10_000, 12_700]) {
    now = at;
    await watch.tick();
  }
  expect(seen).toEqual([0, 10, 12]);
});
