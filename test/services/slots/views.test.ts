import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { createLiveRunStateStore, type LiveRunStateStore } from '../../../services/slots/live-state.ts';
import { hasHidden } from '../../../shared/text/visible.ts';
import { openAnsiView } from '../../../services/slots/views/ansi.ts';
import { drawRow, Screen } from '../../../services/slots/views/ink.ts';
import { newLines, openLinesView } from '../../../services/slots/views/lines.ts';
import { openView } from '../../../services/slots/views/open.ts';
import { rowsOf } from '../../../services/slots/views/rows.ts';

/** A terminal of 40 columns that remembers what was written. */
const terminal = (isTTY = true) => {
  const stream = Object.assign(new PassThrough(), { columns: 40, rows: 20, isTTY });
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  // What the views use of a terminal is all here; the type asks for a real one.
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
};

const PLAIN = { preview: 3, theme: 'default', showRaw: false } as const;

const started = (): LiveRunStateStore => {
  const store = createLiveRunStateStore(50);
  store.startIteration(1);
  store.startAgent(2, { id: 'fx-2', title: 'Second' });
  store.startAgent(1, { id: 'fx-1', title: 'First' });
  return store;
};
const textOf = (store: LiveRunStateStore, preview = 3): readonly string[] =>
  rowsOf(store.get(), preview).map((row) => row.map(({ text }) => text).join(''));

describe('the live state', () => {
  it('replaces its snapshot and never changes one', () => {
    const store = started();
    const before = store.get();
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    expect(before.agents[0]?.reviewPhase).toBeNull();
    expect(store.get().agents.map(({ slot, reviewPhase }) => [slot, reviewPhase?.kind])).toEqual([
      [1, 'reviewing'],
      [2, undefined],
    ]);
    store.clearAgentReviewPhase(1);
    expect(store.get().agents[0]?.reviewPhase).toBeNull();
  });

  it('clears the phase of an agent that ends, and counts it', () => {
    const store = started();
    store.setAgentReviewPhase(1, { kind: 'fixing', attempt: 1, maxAttempts: 5 });
    store.endAgent(1, 'failed', 'drift remains');
    store.endAgent(2, 'passed', null);
    expect(store.get()).toMatchObject({
      passed: 1,
      failed: 1,
      agents: [{ reviewPhase: null, note: 'drift remains' }, {}],
    });
  });

  it('keeps the last fifty lines of an agent, and adds up what agents used', () => {
    const store = started();
    for (let line = 0; line < 60; line += 1) store.addLine(1, `line ${line}`);
    store.addUsage({ inputTokens: 1, outputTokens: 2, costUsd: 0.5 });
    store.addUsage({ inputTokens: 10, outputTokens: 20, costUsd: 0 });
    expect(store.get().agents[0]?.lines).toHaveLength(50);
    expect(store.get().usage).toEqual({ inputTokens: 11, outputTokens: 22, costUsd: 0.5 });
  });

  it('tells whoever listens, until he stops', () => {
    const store = createLiveRunStateStore(1);
    let told = 0;
    const stop = store.subscribe(() => {
      told += 1;
    });
    store.pause('waits');
    stop();
    store.pause(null);
    expect(told).toBe(1);
  });
});

describe('the lines of a slot', () => {
  it("are the reviewer's while he reviews, and those of implementer and fixer again after it", () => {
    const store = started();
    const shown = () => textOf(store).slice(2, -1);
    store.addLine(1, 'implemented');
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    expect(shown()).toEqual([]);
    store.addLine(1, 'looks at it');
    expect(shown()).toEqual(['  looks at it']);
    store.setAgentReviewPhase(1, { kind: 'fixing', attempt: 1, maxAttempts: 5 });
    store.addLine(1, 'fixed');
    expect(shown()).toEqual(['  implemented', '  fixed']);
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    expect(shown()).toEqual([]);
    store.clearAgentReviewPhase(1);
    expect(shown()).toEqual(['  implemented', '  fixed']);
  });
});

describe('the rows of the screen', () => {
  it('show slot, badge, task and the newest lines', () => {
    const store = started();
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.setAgentReviewPhase(2, { kind: 'fixing', attempt: 2, maxAttempts: 5 });
    for (const line of ['one', 'two', 'three']) store.addLine(2, line);
    expect(textOf(store, 2)).toEqual([
      'fixpoint loop  iteration 1 of 50  0 done  0 failed  0 tokens in, 0 out',
      'slot 1   REVIEW fx-1   fx-1  First',
      'slot 2   FIX 2/5   fx-2  Second',
      '  two',
      '  three',
    ]);
  });

  it('show how a slot ended and why, without its output', () => {
    const store = started();
    store.addLine(1, 'noise');
    store.endAgent(1, 'failed', 'no verdict: the reviewer printed nothing');
    expect(textOf(store).slice(1, 4)).toEqual([
      'slot 1  failed  fx-1  First',
      '  no verdict: the reviewer printed nothing',
      'slot 2  implementing  fx-2  Second',
    ]);
  });

  it('show what is not as it should be, until it is', () => {
    const store = started();
    store.setNotice('no task list: \u001b[2Jbd is not installed');
    expect(textOf(store)[1]).toBe('no task list: [U+001B][2Jbd is not installed');
    store.setNotice(null);
    expect(textOf(store)[1]).toBe('slot 1  implementing  fx-1  First');
  });

  it('let no agent reach the terminal', () => {
    const store = started();
    store.addLine(1, 'a\u001b[2Jb\u202ec\rd');
    expect(hasHidden(textOf(store).join('\n'))).toBe(false);
    expect(textOf(store)[2]).toBe('  a[U+001B][2Jb[U+202E]c[U+000D]d');
  });
});

describe('a view', () => {
  it('of ANSI draws in place, cut at the width, and gives the cursor back', async () => {
    const { stream, text } = terminal();
    const store = started();
    const view = openAnsiView({ ...PLAIN, store, stream });
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.addLine(1, '宽'.repeat(60));
    await expect.poll(text).toContain('REVIEW');
    store.clearAgentReviewPhase(1);
    await view.close();
    await view.close();
    expect(text().startsWith('\u001b[?25l')).toBe(true);
    expect(text()).toContain('\u001b[4A\r\u001b[J');
    expect(text().endsWith('\u001b[?25h')).toBe(true);
    expect(
      Math.max(
        ...text()
          .split('\n')
          .map((line) => [...line.matchAll(/宽/g)].length),
      ),
    ).toBeLessThanOrEqual(19);
  });

  it('of Ink shows the same badges', async () => {
    const { stream, text } = terminal();
    const store = started();
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    const ink = render(createElement(Screen, { store, preview: 3, theme: 'default' }), {
      stdout: stream,
      debug: true,
      exitOnCtrlC: false,
    });
    expect(text()).toContain('REVIEW fx-1');
    store.setAgentReviewPhase(1, { kind: 'fixing', attempt: 3, maxAttempts: 5 });
    await expect.poll(text).toContain('FIX 3/5');
    ink.unmount();
  });

  /** Select Graphic Rendition: 30 to 37 and 90 to 97 are colours of text, 40 to 47 and 100 to 107 of its ground. */
  const COLOURED = new RegExp(String.raw`${'\u001b'}\[(?:\d+;)*(?:[349]|10)[0-7]m`);
  const inAllStyles = (): LiveRunStateStore => {
    const store = started();
    store.addLine(1, 'dim');
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.setAgentReviewPhase(2, { kind: 'fixing', attempt: 1, maxAttempts: 5 });
    store.startAgent(3, { id: 'fx-3', title: 'Third' });
    store.endAgent(3, 'failed', 'no verdict');
    store.startAgent(4, { id: 'fx-4', title: 'Fourth' });
    store.endAgent(4, 'passed', null);
    return store;
  };

  it.each([
    ['default', true],
    ['mono', false],
  ] as const)('of ANSI in the theme %s has colours: %s', async (theme, expected) => {
    const { stream, text } = terminal();
    await openAnsiView({ ...PLAIN, theme, store: inAllStyles(), stream }).close();
    expect(COLOURED.test(text())).toBe(expected);
    expect(text()).toContain(theme === 'mono' ? '\u001b[7m REVIEW fx-1 ' : ' REVIEW fx-1 ');
  });

  it.each<['default' | 'mono', readonly string[]]>([
    ['default', ['color', 'backgroundColor', 'bold']],
    ['mono', ['bold', 'inverse']],
  ])('of Ink in the theme %s paints by %j', (theme, expected) => {
    const row = (['plain', 'bold', 'red', 'green', 'badge_review', 'badge_fix'] as const).map((style) => ({
      text: style,
      style,
    }));
    const drawn = JSON.stringify(drawRow(row, 0, theme));
    const ways = ['color', 'backgroundColor', 'bold', 'inverse'].filter((way) => drawn.includes(`"${way}":`));
    expect(ways).toEqual(expected);
  });

  it('of lines tells once what is not as it should be', () => {
    const { stream, text } = terminal(false);
    const store = started();
    const view = openLinesView({ ...PLAIN, store, stream });
    store.setNotice('no task list: bd is not installed');
    store.setNotice('no task list: bd is not installed');
    store.addLine(1, 'noise');
    void view.close();
    expect(text()).toBe('no task list: bd is not installed\n');
  });

  it('of lines shows each line of the agents where it is asked to', () => {
    const { stream, text } = terminal(false);
    const store = started();
    const view = openLinesView({ ...PLAIN, showRaw: true, store, stream });
    store.addLine(1, '{"type":"item"}');
    store.addLine(2, 'a\u001b[2J');
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.addLine(1, 'same');
    store.addLine(1, 'same');
    void view.close();
    expect(text()).toBe(
      'slot 1 | {"type":"item"}\nslot 2 | a[U+001B][2J\nslot 1: fx-1: REVIEW fx-1\nslot 1 | same\nslot 1 | same\n',
    );
  });

  it('of lines says each thing once', () => {
    const store = createLiveRunStateStore(2);
    let before = store.get();
    const lines: string[] = [];
    store.subscribe(() => {
      lines.push(...newLines(before, store.get()));
      before = store.get();
    });
    store.startIteration(1);
    store.startAgent(1, { id: 'fx-1', title: 'First' });
    store.addLine(1, 'noise');
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.addLine(1, 'noise');
    store.setAgentReviewPhase(1, { kind: 'fixing', attempt: 1, maxAttempts: 5 });
    store.setAgentReviewPhase(1, { kind: 'reviewing', taskId: 'fx-1' });
    store.clearAgentReviewPhase(1);
    store.endAgent(1, 'passed', null);
    expect(lines).toEqual([
      'iteration 1 of 2',
      'slot 1: fx-1: implementing',
      'slot 1: fx-1: REVIEW fx-1',
      'slot 1: fx-1: FIX 1/5',
      'slot 1: fx-1: REVIEW fx-1',
      'slot 1: fx-1: passed',
    ]);
  });

  it.each(['auto', 'ink', 'ansi', 'lines'] as const)('%s is lines where there is no terminal', async (kind) => {
    const { stream, text } = terminal(false);
    const store = createLiveRunStateStore(1);
    const view = await openView(kind, { ...PLAIN, store, stream });
    store.startIteration(1);
    await view.close();
    expect(text()).toBe('iteration 1 of 1\n');
  });
});
