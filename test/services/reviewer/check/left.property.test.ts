/**
 * Reviews that leave files out, pushes, and commands that ask for one path, in any order: a pass implies that every changed line of
 * the head was shown by some review since it last changed. Every line that is ever written is unique, so the oracle only looks for
 * its text in what was shown.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelLook } from '../../../../services/reviewer/packet/looked.ts';
import type { Packet, PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import { filesToShow, withheldFiles } from '../../../../services/reviewer/packet/show-diff.ts';
import { runRules } from '../../../../services/reviewer/rules/run-rules.ts';
import type { Runner } from '../../../../services/reviewer/run/runner.ts';
import { hunkLines } from '../../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../../shared/diff/model.ts';
import { overlaps } from '../../../../shared/diff/paths/left-paths.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { reviewBy } from '../receipts-stage.ts';
import { createReviewWorld, type ReviewWorld } from '../review-world.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const RUNS = DEEP ? 300 : 15;

let world: ReviewWorld;
beforeAll(() => {
  world = createReviewWorld();
});
afterAll(() => world.dispose());

const FOLDERS = ['a/', 'a/b/', 'c/', ''] as const;
const LINES = 40;

type Step =
  | { readonly kind: 'push'; readonly edits: readonly { readonly file: number; readonly line: number }[] }
  | { readonly kind: 'move'; readonly file: number; readonly to: string }
  | { readonly kind: 'review'; readonly leaves: readonly number[] }
  | { readonly kind: 'command'; readonly path: string; readonly leaves: readonly number[] };

const fileNumber = fc.nat(5);
const leaves = fc.uniqueArray(fc.nat(7), { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('push' as const),
    edits: fc.array(fc.record({ file: fileNumber, line: fc.nat(LINES - 1) }), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('move' as const), file: fileNumber, to: fc.constantFrom(...FOLDERS) }),
  fc.record({ kind: fc.constant('review' as const), leaves }),
  fc.record({
    kind: fc.constant('command' as const),
    path: fc.constantFrom('a/', 'a/b/', 'c/', 'f0.js', 'a/f1.js'),
    leaves,
  }),
);

type Shop = { readonly paths: string[]; readonly texts: string[][]; written: number };

/** A change of every file, so that there is something to leave out. */
const openShop = (): { readonly shop: Shop; readonly base: CommitSha } => {
  const shop: Shop = { paths: [], texts: [], written: 0 };
  for (let file = 0; file < 6; file += 1) {
    shop.paths.push(`${FOLDERS[file % FOLDERS.length]}f${file}.js`);
    shop.texts.push(Array.from({ length: LINES }, () => newLine(shop)));
  }
  const gone = ['a', 'c', ...Array.from({ length: 6 }, (_, file) => `f${file}.js`)];
  world.repository.git('rm', '-r', '-q', '--ignore-unmatch', ...gone);
  return { shop, base: save(shop) };
};

const newLine = (shop: Shop): string => {
  shop.written += 1;
  return `export const line${shop.written} = ${shop.written * 7919};`;
};

const save = ({ paths, texts }: Shop): CommitSha =>
  world.commit(Object.fromEntries(paths.map((path, at) => [path, `${(texts[at] ?? []).join('\n')}\n`])));

const edit = (shop: Shop, file: number, line: number): void => {
  const text = shop.texts[file];
  if (text !== undefined) text[line] = newLine(shop);
};

const move = (shop: Shop, file: number, to: string): void => {
  const from = shop.paths[file] ?? '';
  const path = `${to}f${file}.js`;
  if (from === path) return;
  world.repository.git('rm', '-q', '--cached', from);
  world.repository.write({ [from]: null });
  shop.paths[file] = path;
};

const changedTexts = (files: readonly DiffFile[]): readonly string[] =>
  files.flatMap(({ hunks }) =>
    hunks.flatMap((hunk) =>
      hunkLines(hunk).flatMap(({ kind, text }) => (kind === 'context' ? [] : [`${kind} ${text}`])),
    ),
  );

/** Shows what a reviewer is shown, without the files that it leaves out, and keeps what was shown. */
const leaving = (numbers: readonly number[], seen: Set<string>, packets: Packet[]): Runner => ({
  name: 'agent',
  run: async ({ packet }, signal) => {
    packets.push(packet);
    const rules = await runRules(packet, signal);
    const shown = filesToShow(packet);
    const left = shown.filter((_, at) => numbers.includes(at));
    for (const text of changedTexts(shown.filter((file) => !left.includes(file)))) seen.add(text);
    const notShown = [...withheldFiles(packet), ...left.map(({ newPath: path }) => ({ path, reason: 'left out' }))];
    const { findings, answers, fixed, omitted } = rules;
    const looked = { rules, model: modelLook(notShown) };
    const draft = { summary: 'Seen.', findings, answers, fixed, omitted, looked, spent: NOTHING_SPENT, exceeded: null };
    return { kind: 'draft', draft };
  },
});

type Previous = NonNullable<PacketRequest['previous']>;

type Story = {
  readonly shop: Shop;
  readonly base: CommitSha;
  readonly seen: Set<string>;
  readonly verdicts: string[];
  head: CommitSha;
  previous: Previous | null;
};

const push = (story: Story, each: Extract<Step, { readonly kind: 'push' | 'move' }>): void => {
  const { shop } = story;
  if (each.kind === 'push') for (const { file, line } of each.edits) edit(shop, file, line);
  else move(shop, each.file, each.to);
  story.head = save(shop);
};

const review = async (story: Story, numbers: readonly number[], only: string | null): Promise<void> => {
  const { base, head, seen, previous } = story;
  // As guard answers: nothing was left out there.
  if (only !== null && !(previous?.left ?? []).some((entry) => overlaps(entry, only))) return;
  const packets: Packet[] = [];
  const runner = leaving(numbers, seen, packets);
  const { draft, judgement } = await reviewBy(world, { base, head, runner, more: { previous, only } });
  const { verdict } = judgement;
  const { complete, left } = draft.coverage;
  const known = { head, base, fingerprint: draft.patchFingerprint, verdict, seenBy: 'model' as const };
  if (complete || left !== undefined) story.previous = { ...known, ...(left === undefined ? {} : { left }) };
  story.verdicts.push(verdict);
  if (verdict !== 'lgtm') return;
  const missing = changedTexts(packets[0]?.diff.files ?? []).filter((text) => !seen.has(text));
  expect(missing).toEqual([]);
};

const play = async (steps: readonly Step[]): Promise<readonly string[]> => {
  const { shop, base } = openShop();
  for (let file = 0; file < 6; file += 1) edit(shop, file, 3);
  const story: Story = { shop, base, seen: new Set(), verdicts: [], head: save(shop), previous: null };
  for (const each of steps) {
    if (each.kind === 'push' || each.kind === 'move') push(story, each);
    else await review(story, each.leaves, each.kind === 'command' ? each.path : null);
  }
  return story.verdicts;
};

test('a pass implies that every changed line was shown since it last changed', {
  timeout: DEEP ? 3_600_000 : 180_000,
}, async () => {
  const all: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      all.push(...(await play([...steps, { kind: 'review', leaves: [] }])));
    }),
    { numRuns: RUNS, seed: 24 },
  );
  expect(new Set(all)).toEqual(new Set(['lgtm', 'inconclusive']));
});

test('the paths that were left out can be reviewed one after the other, and then the change passes', async () => {
  const verdicts = await play([
    { kind: 'review', leaves: [0, 1, 2, 3, 4, 5] },
    { kind: 'command', path: 'a/', leaves: [] },
    { kind: 'push', edits: [{ file: 2, line: 20 }] },
    { kind: 'command', path: 'c/', leaves: [] },
    { kind: 'review', leaves: [] },
  ]);
  expect(verdicts).toEqual(['inconclusive', 'inconclusive', 'inconclusive', 'lgtm']);
});
