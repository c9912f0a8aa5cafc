/** Languages that only an analyzer of the operator knows. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnalyzeFiles } from '../../../../services/reviewer/rules/analyze-packet.ts';
import { reviewBy } from '../receipts-stage.ts';
import { createReviewWorld, type Files, numbered, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const change = async (files: Files, asked: Partial<Parameters<typeof reviewBy>[1]> = {}, before: Files = {}) => {
  const base = world.commit({ 'kept.txt': 'kept\n', ...before });
  return reviewBy(world, { base, head: world.commit(files), ...asked });
};

describe('a language that only an analyzer knows', () => {
  /** `knows`: what the analyzer says that it read; `failed` if it did not end as it should. */
  const analyzer =
    (knows: (path: string) => boolean, failed = false): AnalyzeFiles =>
    async ({ files }) => ({
      v: 1,
      ran: failed ? [] : [{ name: 'lint', paths: [], knows: files.map(({ path }) => path).filter(knows) }],
      hits: [],
      failed: failed ? [{ name: 'lint', reason: 'crashed or was killed' }] : [],
    });
  const isPerl = (path: string): boolean => path.endsWith('.pl');
  const UNKNOWN = expect.stringMatching(/^no rule knows Perl \(1 file\), and neither an analyzer nor a model looked/);

  test('passes without a model, and the receipt names the analyzer', async () => {
    const { draft, judgement } = await change({ 'a.pl': 'a();\n', 'b.js': 'b();\n' }, { analyze: analyzer(isPerl) });
    expect(judgement.verdict).toBe('lgtm');
    expect(draft.coverage).toMatchObject({ complete: true, reviewed: 2, files: 2 });
    expect(draft.coverage.unknownLanguages).toBeUndefined();
    expect(draft.coverage.receipts).toEqual([
      { seenBy: 'rules', language: 'JavaScript', files: 1, lines: 1 },
      { seenBy: 'scan', language: 'Perl', files: 1, lines: 1, analyzers: ['lint'] },
    ]);
  });

  test.each<[what: string, analyze: AnalyzeFiles | undefined, reasons: readonly unknown[]]>([
    ['does not run', undefined, [UNKNOWN]],
    ['has failed', analyzer(isPerl, true), [UNKNOWN, 'analyzer `lint` crashed or was killed']],
    ['knows only another file', analyzer((path) => path === 'b.js'), [UNKNOWN]],
  ])('is unknown if the analyzer %s', async (_, analyze, reasons) => {
    const { draft, judgement } = await change(
      { 'a.pl': 'a();\n', 'b.js': 'b();\n' },
      analyze === undefined ? {} : { analyze },
    );
    expect(judgement).toEqual({ verdict: 'inconclusive', reasons });
    expect(draft.coverage.unknownLanguages).toEqual([{ language: 'Perl', files: 1 }]);
  });

  test('is known for a removed file and for one that only has a new name, but a link is in no language', async () => {
    const before = { 'gone.pl': 'gone();\n', 'old.pl': textOf(...numbered(20)) };
    const files = { 'gone.pl': null, 'old.pl': null, 'new.pl': before['old.pl'] };
    const known = await change(files, { analyze: analyzer(isPerl) }, before);
    expect(known.judgement.verdict).toBe('lgtm');
    expect(known.draft.coverage).toMatchObject({ reviewed: 2, files: 2 });
    const unknown = await change({ 'new.pl': null }, { analyze: analyzer(isPerl, true) });
    expect(unknown.judgement.reasons).toContainEqual(UNKNOWN);
    const base = world.commit({});
    world.repository.link('link.pl', 'kept.txt');
    const linked = await reviewBy(world, { base, head: world.commit({}), analyze: analyzer(isPerl) });
    expect(linked.judgement.verdict).toBe('inconclusive');
  });

  test('is not complete if the file cannot be read or is excluded, whatever the analyzer says', async () => {
    const limits = { maxFileBytes: 1024 };
    const large = await change({ 'a.pl': textOf(...numbered(200)) }, { limits, analyze: analyzer(isPerl) });
    expect(large.draft.coverage).toMatchObject({ complete: false, reviewed: 0 });
    const skipped = { limits: { excludePaths: ['b.pl'] }, analyze: analyzer(isPerl) };
    const { draft } = await change({ 'b.pl': 'b();\n', 'c.pl': 'c();\n' }, skipped);
    expect(draft.coverage).toMatchObject({ complete: true, reviewed: 1, files: 2 });
    expect(draft.coverage.lines?.map(({ path, analyzers }) => [path, analyzers])).toEqual([
      ['b.pl', undefined],
      ['c.pl', ['lint']],
    ]);
  });
});
