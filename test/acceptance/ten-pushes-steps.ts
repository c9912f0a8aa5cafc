/** The ten things that a human author does to one change request, and what each of them may cost in words. */
import { advanceMain, commit, mergeMain, tipOf } from '../integration/head-deeds.ts';
import { openInto, retarget } from '../integration/input-deeds.ts';
import type { VerdictStage } from '../integration/verdict-stage.ts';
import { answerAt, type At } from './ten-pushes-stage.ts';

const BRANCH = 'work';
const broken = (name: string): string => `export const ${name} = (text) => eval(text);\n`;
const fixed = (name: string): string => `export const ${name} = (text) => Number(text);\n`;

/** What an author may be told: nothing, one review that asks, one short comment, an answer in a thread, or a call for a human. */
export type News = 'nothing' | 'review' | 'pass' | 'answer' | 'handoff';

export type Step = {
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

export const STEPS: readonly Step[] = [
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

const openBroken = async (stage: VerdictStage): Promise<At> => {
  await commit(stage, { branch: BRANCH, files: { 'one.js': broken('one'), 'two.js': broken('two') } });
  const at = { stage, number: await openInto(stage, BRANCH, 'main') };
  await stage.statusOf(at.number);
  return at;
};

export type Audience = {
  /** Before each step. `gap` is 0 once the first review is posted. */
  readonly before?: (at: At, gap: number) => Promise<void>;
  /** After each step, once nothing is under way; also after the opening, without a step. */
  readonly after?: (at: At, step: Step | null) => Promise<void>;
};

export const playTenPushes = async (stage: VerdictStage, { before, after }: Audience): Promise<At> => {
  const at = await openBroken(stage);
  await after?.(at, null);
  for (const [gap, step] of STEPS.entries()) {
    await before?.(at, gap);
    await step.act(at);
    await stage.calm();
    await stage.statusOf(at.number);
    await after?.(at, step);
  }
  return at;
};
