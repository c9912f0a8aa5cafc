/** Ten things that a human author does to one change request: what the bot says to each of them, and whom it mails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceMain, commit, mergeMain, tipOf } from '../integration/head-deeds.ts';
import { openInto, retarget } from '../integration/input-deeds.ts';
import { startVerdictStage, type VerdictStage } from '../integration/verdict-stage.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { answerAt, type At, countUntil, findingsAt, summaryAt } from './ten-pushes-stage.ts';

const STORY_MS = 240_000;
const BRANCH = 'work';
const broken = (name: string): string => `export const ${name} = (text) => eval(text);\n`;
const fixed = (name: string): string => `export const ${name} = (text) => Number(text);\n`;

/** What an author may be told: nothing, one review that asks, one short comment, an answer in a thread, or a call for a human. */
type News = 'nothing' | 'review' | 'pass' | 'answer' | 'handoff';

type Step = {
  readonly name: string;
  readonly act: (at: At) => Promise<unknown>;
  readonly news: readonly News[];
  /** Files with a defect that is new in this step. */
  readonly defects?: readonly string[];
  readonly verdict: 'feedback' | 'lgtm' | 'inconclusive';
};

const push =
  (files: Record<string, string>) =>
  async ({ stage }: At) =>
    commit(stage, { branch: BRANCH, files });

/** The same files on the newest target: a force push. */
const rebase = async ({ stage }: At): Promise<void> => {
  await advanceMain(stage, { 'other.txt': 'Somebody else works, too.\n' });
  const files = {
    'README.md': '# The shop\n',
    'one.js': fixed('one'),
    'two.js': broken('two'),
    'three.js': broken('three'),
  };
  await commit(stage, { branch: BRANCH, files, onto: await tipOf(stage, 'main') });
};

const mergeTarget = async ({ stage }: At): Promise<void> => {
  await advanceMain(stage, { 'more.txt': 'And goes on.\n' });
  await mergeMain(stage, BRANCH);
};

const retargeted = async ({ stage, number }: At): Promise<void> => {
  await commit(stage, { branch: 'release', files: {}, onto: await tipOf(stage, 'main') });
  await retarget(stage, number, 'release');
};

const STEPS: readonly Step[] = [
  { name: 'README only', act: push({ 'README.md': '# The shop\n' }), news: ['nothing'], verdict: 'feedback' },
  { name: 'one fix', act: push({ 'one.js': fixed('one') }), news: ['nothing'], verdict: 'feedback' },
  {
    name: 'new code with a new defect',
    act: push({ 'three.js': broken('three') }),
    news: ['review'],
    defects: ['three.js'],
    verdict: 'feedback',
  },
  { name: 'rebase', act: rebase, news: ['nothing'], verdict: 'feedback' },
  { name: 'merge of the target', act: mergeTarget, news: ['nothing'], verdict: 'feedback' },
  {
    name: 'answer',
    act: async (at) => answerAt(at, 'two.js', 'The text comes from us alone.'),
    news: ['answer'],
    verdict: 'feedback',
  },
  {
    name: 'decline',
    act: async (at) => answerAt(at, 'three.js', "Won't fix: this is by design."),
    news: ['answer'],
    verdict: 'feedback',
  },
  {
    name: 'another new defect',
    act: push({ 'four.js': broken('four') }),
    // The last round: a human is called.
    news: ['review', 'handoff'],
    defects: ['four.js'],
    verdict: 'feedback',
  },
  {
    name: 'fix of all',
    act: push({ 'two.js': fixed('two'), 'three.js': fixed('three'), 'four.js': fixed('four') }),
    news: ['pass'],
    verdict: 'lgtm',
  },
  { name: 'retarget', act: retargeted, news: ['nothing'], verdict: 'lgtm' },
];

/** GitLab tells by itself that the last open thread is resolved. Nobody can switch that off by API. */
const OWN_MAIL_OF_THE_FORGE = 'mail.all_resolved';

/** GitLab has no review that could hold the summary, so the first one that asks is two comments there. */
const FIRST = { forgejo: 1, gitea: 1, gitlab: 2 } as const;

const mayMail = (news: readonly News[]): number => news.filter((each) => each !== 'nothing').length;

describe.each(FORGE_KINDS)('ten pushes by a human on %s', (kind) => {
  let stage: VerdictStage;

  beforeAll(async () => {
    stage = await startVerdictStage(kind, '');
  }, STORY_MS);
  afterAll(async () => stage?.close(), STORY_MS);

  test(
    'F-R12: write at most one comment and mail for each thing that has news, and each defect is found',
    async () => {
      await commit(stage, { branch: BRANCH, files: { 'one.js': broken('one'), 'two.js': broken('two') } });
      const number = await openInto(stage, BRANCH, 'main');
      const at = { stage, number };
      await stage.statusOf(number);
      const rows = [await rowOf(at, 'opened', { created: 0, mails: [] })];
      expect(rows[0]?.mails).toBe(FIRST[kind]);
      for (const step of STEPS) {
        const before = countUntil(at);
        await step.act(at);
        await stage.calm();
        await stage.statusOf(number);
        const row = await rowOf(at, step.name, before);
        rows.push(row);
        print(kind, [row]);
        expect({ step: step.name, verdict: summaryAt(at).verdict }).toEqual({ step: step.name, verdict: step.verdict });
        const most = mayMail(step.news);
        expect([row.step, row.mails <= most, row.created <= most]).toEqual([step.name, true, true]);
        expect(findingsAt(at).map(({ path }) => path)).toEqual(expect.arrayContaining([...(step.defects ?? [])]));
        const head = stage.look(number).heads.at(-1);
        expect(summaryAt(at).reviewed.map((each) => each.head)).toContain(head);
      }
      expect(new Set(findingsAt(at).map(({ path }) => path))).toEqual(
        new Set(['one.js', 'two.js', 'three.js', 'four.js']),
      );
      const total = (of: 'mails' | 'created'): number => rows.reduce((sum, row) => sum + row[of], 0);
      process.stdout.write(`${kind}: ${total('created')} comments, ${total('mails')} mails in all\n`);
    },
    STORY_MS,
  );
});

type Row = { readonly step: string; readonly created: number; readonly mails: number };

const rowOf = async (at: At, step: string, before: ReturnType<typeof countUntil>): Promise<Row> => {
  const now = countUntil(at);
  const mails = now.mails.slice(before.mails.length).filter((mail) => mail !== OWN_MAIL_OF_THE_FORGE);
  return { step, created: now.created - before.created, mails: mails.length };
};

const print = (kind: string, rows: readonly Row[]): void => {
  for (const { step, created, mails } of rows)
    process.stdout.write(`${kind}: ${step}: ${created} comments, ${mails} mails\n`);
};
