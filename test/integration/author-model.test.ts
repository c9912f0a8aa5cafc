/** The whole loop without a human: the scripted reviewer finds, the scripted author edits. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { insistingReviewer } from '../sim/messages/insisting-reviewer.ts';
import { AS_AUTHOR, seededAuthor, type SeededAuthorOptions } from '../sim/messages/seeded-author.ts';
import type { ScriptHandle } from '../sim/messages/script.ts';
import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { UNCAGED } from '../support/author-command.ts';
import { type AuthorStage, startAuthorStage } from '../support/author-stage.ts';
import { findTestCage } from '../support/cage.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { eventually, STORY_MS } from '../support/story-world.ts';

/** No defects that the rules also find, because they would report them in other words. */
const SIX = {
  'src/store.js': textOf(
    'export const find = (db, name) =>',
    '  db.first(name); // DEFECT(P1: forgets that there may be none)',
    '',
    'export const open = (file) => {',
    '  return file.open(); // DEFECT(P0: never closes what it opens)',
    '};',
  ),
  'src/page.js': textOf(
    'export const show = (node, item) => {',
    '  node.innerHTML = item.title;',
    '};',
    '',
    'export const wait = (queue) => {',
    '  while (true) queue.take();',
    '};',
  ),
  'src/client.js': textOf(
    'export const connect = (url) =>',
    '  new Agent(url); // DEFECT(P2: waits for ever)',
    '',
    'export const total = (items) =>',
    '  items.length - 1; // DEFECT(P1: counts one too few)',
  ),
};

const MENDED = 'Fixed.';

/** Fixes three findings at a time, so that the first fix leaves some for the second. */
const MENDS_THREE: SeededAuthorOptions = {
  atMost: 3,
  rewrite: (line, { id }) => `${/^\s*/.exec(line)?.[0] ?? ''}safely('${MENDED} ${id}');`,
};

/** Fixes nothing, and adds a new, different defect each time. */
const MAKES_WORSE: SeededAuthorOptions = {
  atMost: 1,
  rewrite: (line, { id }) =>
    `${line}\nmore(); // DEFECT(P1: makes the mistake of ${id} in other words, ${line.length})`,
};

/** The author runs in a cage if this machine supports one. */
const { cage, dispose } = await findTestCage();
afterAll(dispose);

let model: MessagesSim;
let stage: AuthorStage;
let reviewer: ScriptHandle;
let mender: ScriptHandle;

afterEach(async () => {
  try {
    await stage?.close();
    if (model.violations.length > 0) throw new Error(model.violations.join('\n'));
  } finally {
    await model?.close();
  }
}, STORY_MS);

const begin = async (kind: ForgeKind, author: SeededAuthorOptions): Promise<number> => {
  model = await startMessagesSim({ apiKeys: [['story', 'model', 'key', '0123456789'].join('-')] });
  reviewer = model.script(insistingReviewer);
  mender = model.script(seededAuthor(author), AS_AUTHOR);
  const settings = `[author]\nenabled = true\nagent = "agent"\n${cage === null ? UNCAGED : ''}`;
  stage = await startAuthorStage(kind, settings, model);
  await stage.commit('main', { 'README.md': '# Shop\n' });
  return stage.open('change', SIX);
};

/** Calls of verifiers, which the simulator answers by itself. */
const verified = (): number =>
  model.requests.filter(({ request }) => request?.tools?.some(({ name }) => name === 'submit_verification')).length;

const summaryOf = (number: number): SummaryMarker => {
  const found = stage.markers(number).filter((payload) => payload.kind === 'summary');
  const [summary] = found;
  if (summary === undefined || found.length > 1) throw new Error(`${found.length} summaries instead of one`);
  return summary;
};

const kindsOf = (number: number): readonly string[] =>
  stage
    .markers(number)
    .map(({ kind }) => kind)
    .filter((kind) => kind === 'fix' || kind === 'handoff');

/** The bot's commit messages, newest first, and the files that they change. */
const fixes = async (): Promise<{ readonly messages: readonly string[]; readonly files: readonly string[] }> => {
  const log = await stage.git('log', '-z', '--format=%B', '--grep=^fix:', 'main..change');
  const files = await stage.git('log', '--name-only', '--format=', '--grep=^fix:', 'main..change');
  return {
    messages: log.split('\0').filter((each) => each !== ''),
    files: [...new Set(files.split('\n').filter((each) => each !== ''))].toSorted(),
  };
};

const message = (review: number, ids: number): RegExp =>
  new RegExp(
    `^fix: address findings of review ${review}\n\nFixpoint-Review: ${review}\n` +
      `(?:Fixpoint-Finding: F-00\\d\n){${ids}}Fixpoint-Run: [0-9a-f]{20}\n$`,
  );

describe.each(usually<ForgeKind>('forgejo', 'gitea', 'gitlab'))(
  'a model that reviews and one that mends, on a simulated %s',
  (kind) => {
    test(
      'take a change with six defects from its opening to lgtm in three rounds without a human',
      async () => {
        const number = await begin(kind, MENDS_THREE);
        await eventually('lgtm', () => stage.look(number).headStatuses['fixpoint'] === 'success');
        await stage.calm();
        const summary = summaryOf(number);
        expect([summary.verdict, summary.review, summary.runs, summary.fixes]).toEqual(['lgtm', 3, 3, 2]);
        expect(summary.ledger.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'resolved'));
        expect(kindsOf(number)).toEqual(['fix', 'fix']);
        expect(stage.look(number).heads).toHaveLength(3);
        // The model reports what it addressed: the two files of the first fix have four findings.
        const { messages, files } = await fixes();
        expect(messages).toEqual([expect.stringMatching(message(2, 3)), expect.stringMatching(message(1, 3))]);
        expect(files.every((file) => Object.keys(SIX).includes(file))).toBe(true);
        expect(await stage.git('grep', '-c', '-h', MENDED, 'change')).toBe('2\n2\n2\n');
        // Two fixes with three turns each, which are paid in addition to the reviews.
        expect(mender.answered()).toBe(6);
        expect([summary.spent.modelCalls, summary.fixSpent]).toEqual([reviewer.answered() + verified() + 6, 2]);
      },
      STORY_MS,
    );

    // In the usual run, the story with a program as the author covers this.
    test.runIf(process.env['FIXPOINT_DEEP'] === '1')(
      'end after three reviews and two fixes with one hand-off and no push when each fix makes it worse',
      async () => {
        const number = await begin(kind, MAKES_WORSE);
        await eventually('the hand-off', () => kindsOf(number).includes('handoff'));
        await stage.calm();
        await stage.sweep();
        await stage.sweep();
        const summary = summaryOf(number);
        expect([summary.verdict, summary.review, summary.runs, summary.fixes]).toEqual(['feedback', 3, 3, 2]);
        expect([...kindsOf(number)].toSorted()).toEqual(['fix', 'fix', 'handoff']);
        expect(stage.look(number).heads).toHaveLength(3);
        expect((await fixes()).messages).toHaveLength(2);
        expect(mender.answered()).toBe(6);
      },
      STORY_MS,
    );
  },
);
