/** Quotations that are to show a settled thread fixed, over commits of a real repository. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { runRules } from '../../../../services/reviewer/rules/run-rules.ts';
import { isShownFixed } from '../../../../services/reviewer/check/shown-fixed.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { createReviewWorld, numbered, request, type ReviewWorld, textOf, thread } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const SIGNAL = AbortSignal.timeout(60_000);
const OLD = numbered(6);
const BAD = 'save(order);';

type Then = { readonly raised: CommitSha; readonly settled: CommitSha | null; readonly rule?: string };

const packetOf = async (base: CommitSha, head: CommitSha, { raised, settled, rule }: Then) => {
  const closed = { ...thread('a.ts', 1, raised, 'F-001'), settled: { head: settled }, rule: rule ?? null };
  return buildPacket(request(base, head, { closedThreads: [closed] }), world.source());
};

const shown = async (packet: Awaited<ReturnType<typeof packetOf>>, evidence: string): Promise<boolean> =>
  isShownFixed({ findingId: 'F-001', evidence, rule: null }, packet, createRedactor([]));

/** `before` is what stands when the human is called, `after` at the head that is reviewed. */
const pushed = async (before: Record<string, string>, after: Record<string, string>) => {
  const base = world.commit({ 'a.ts': textOf(...OLD), 'other.ts': 'other();\n' });
  const settled = world.commit(before);
  const head = world.commit(after);
  return packetOf(base, head, { raised: settled, settled });
};

const bad = { 'a.ts': textOf(BAD, ...OLD) };

describe('a quotation shows a settled thread fixed', () => {
  test.each<[string, Record<string, string>, string, boolean]>([
    ['on a line that changed since', { 'a.ts': textOf('await save(order);', ...OLD) }, 'await save(order);', true],
    ['white space aside', { 'a.ts': textOf('await save(order);', ...OLD) }, 'await   save(order);', true],
    [
      'over lines that follow each other',
      { 'a.ts': textOf('await', '  store(order);', ...OLD) },
      'await store(order);',
      true,
    ],
    [
      'not in another file, which would have to be verified',
      { ...bad, 'b.ts': 'await drain();\n' },
      'await drain();',
      false,
    ],
    ['not by a comment', { 'a.ts': textOf('// save is awaited below', ...OLD) }, '// save is awaited below', false],
    [
      'not by a comment that silences a check',
      { 'a.ts': textOf(`${BAD} // eslint-disable-line`, ...OLD) },
      `${BAD} // eslint-disable-line`,
      false,
    ],
    ['not by prose', { ...bad, 'b.md': 'It is awaited in the caller.\n' }, 'It is awaited in the caller.', false],
    ['not with the line that it claims, added once more', { 'a.ts': textOf(BAD, ...OLD, BAD) }, BAD, false],
    ['not with a line that only moved', { 'a.ts': textOf(...OLD, BAD) }, BAD, false],
    ['not with a line that stood there before', { 'a.ts': textOf(BAD, 'more();', ...OLD) }, 'const line1 = 1;', false],
    ['not with lines around the changed one', { 'a.ts': textOf(BAD, 'more();', ...OLD) }, `${BAD} more();`, false],
    ['not with what stands nowhere', { 'a.ts': textOf('await save(order);', ...OLD) }, 'lock(order);', false],
    ['not with nothing', { 'a.ts': textOf('await save(order);', ...OLD) }, ' ', false],
    ['not with a bracket', { 'a.ts': textOf('{', ...OLD) }, '{', false],
    ['by its code that is gone', { 'a.ts': textOf(...OLD) }, BAD, true],
    ['not by code that is gone and was not its own', { 'a.ts': textOf(BAD, ...OLD.slice(1)) }, OLD[0] ?? '', false],
    ['not by its code that went to another file', { 'a.ts': textOf(...OLD), 'b.ts': `${BAD}\n` }, BAD, false],
  ])('%s', async (_name, after, evidence, is) => {
    expect(await shown(await pushed(bad, after), evidence)).toBe(is);
  });

  test('not with a line that changed before the human was called', async () => {
    const base = world.commit({ 'a.ts': textOf(...OLD) });
    const raised = world.commit(bad);
    const settled = world.commit({ 'a.ts': textOf('await save(order);', ...OLD) });
    const head = world.commit({ 'a.ts': textOf('await save(order);', ...OLD), 'b.ts': 'next();\n' });
    const packet = await packetOf(base, head, { raised, settled });
    expect(await shown(packet, 'await save(order);')).toBe(false);
    expect(await shown(packet, BAD)).toBe(false);
    expect(await shown(packet, 'next();')).toBe(false);
  });

  test('not where nobody knows when the human was called', async () => {
    const base = world.commit({ 'a.ts': textOf(...OLD) });
    const raised = world.commit(bad);
    const head = world.commit({ 'a.ts': textOf('await save(order);', ...OLD) });
    expect(await shown(await packetOf(base, head, { raised, settled: null }), 'await save(order);')).toBe(false);
  });

  test('for settled threads alone', async () => {
    const base = world.commit({ 'a.ts': textOf(...OLD) });
    const raised = world.commit(bad);
    const head = world.commit({ 'a.ts': textOf('await save(order);', ...OLD) });
    const packet = await buildPacket(
      request(base, head, { closedThreads: [thread('a.ts', 1, raised, 'F-001')] }),
      world.source(),
    );
    expect(await shown(packet, 'await save(order);')).toBe(false);
    expect(await isShownFixed({ findingId: 'F-001', evidence: '', rule: 'js-eval' }, packet, createRedactor([]))).toBe(
      false,
    );
  });
});

describe('a settled thread of a rule', () => {
  const EVAL = 'export const run = (text) => eval(text);';
  const CLEAN = 'export const one = 1;';
  const look = async (before: string, now: string, after: string) => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const raised = world.commit({ 'a.js': textOf(before) });
    const settled = now === before ? raised : world.commit({ 'a.js': textOf(now) });
    const head = world.commit({ 'a.js': textOf(after), 'b.js': 'export const two = 2;\n' });
    const closed = { ...thread('a.js', 1, raised, 'F-001'), settled: { head: settled }, rule: 'js-eval' };
    const packet = await buildPacket(request(base, head, { closedThreads: [closed] }), world.source());
    const { fixed, standing } = await runRules(packet, SIGNAL);
    return { fixed: fixed.map(({ findingId, rule }) => [findingId, rule]), standing };
  };

  test.each([
    ['is reported fixed when its line is mended', EVAL, EVAL, CLEAN, { fixed: [['F-001', 'js-eval']], standing: [] }],
    ['stands as long as the rule finds it', EVAL, EVAL, EVAL, { fixed: [], standing: ['F-001'] }],
    [
      'is reported fixed when the line had changed before',
      EVAL,
      `${EVAL} // still`,
      CLEAN,
      { fixed: [['F-001', 'js-eval']], standing: [] },
    ],
    ['stays with its human when the rule did not find it even then', EVAL, CLEAN, CLEAN, { fixed: [], standing: [] }],
  ])('%s', async (_name, before, now, after, expected) => {
    expect(await look(before, now, after)).toEqual(expected);
  });
});
