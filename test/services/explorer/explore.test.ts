/** "Who uses this symbol?", asked through the real queue about a real repository on the simulated forge. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { Notes, Question } from '../../../shared/vocabulary/question.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { commitBase, open, textOf } from '../../support/story.ts';
import { eventually, REPO, startStoryWorld, STORY_MS, type StoryWorld } from '../../support/story-world.ts';

const keys = createKeys('fixpoint');
const RUN = 'a'.repeat(20);

let world: StoryWorld;
let asked = 0;

beforeAll(async () => {
  // Nothing else is to run here: what is reviewed is not the subject.
  world = await startStoryWorld({ review: 'triggers = ["mention"]' });
  await commitBase(world, {
    'src/price.ts': textOf('export const priceOf = (item: string): number => item.length;'),
    'src/cart.ts': textOf("import { priceOf } from './price.ts';", '', 'export const total = priceOf("soup");'),
    'test/price.test.ts': textOf("import { priceOf } from '../src/price.ts';", 'expect(priceOf("a")).toBe(1);'),
  });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const ask = async (number: number, symbol: string): Promise<Notes> => {
  const { head, statuses } = world.sim.snapshot(REPO, number);
  expect(statuses).toEqual([]);
  const projectId = world.sim.world.repos[0]?.id ?? 0;
  const changeRequest = { forge: 'sim', projectId, number };
  const brief = Brief.parse({
    v: 1,
    changeRequest,
    runId: RUN,
    head,
    targetHead: head,
    targetBranch: 'main',
    title: 'Change',
    description: '',
    author: 'author',
    git: { url: `${world.sim.url}/${REPO}.git`, headRef: `refs/pull/${number}/head` },
    review: 1,
    attempt: 1,
    stage: 'open',
    openThreads: [],
    closedThreads: [],
    previous: null,
  });
  asked += 1;
  const questionId = `${RUN}-1-${asked}`;
  await createDocumentStore(world.redis, Brief).save(keys.ofRun(RUN, 'brief'), brief);
  const question = { v: 1, kind: 'who_uses', symbol } as const;
  await createDocumentStore(world.redis, Question).save(keys.question(questionId), question);
  const queues = createQueues(world.redis, keys.queues);
  const budget = { maxTurns: 1, maxRuntimeS: 60 };
  const job = { v: 1, changeRequest, runId: brief.runId, head: brief.head, questionId, budget } as const;
  await queues.enqueue('explore', job, { jobId: questionId });
  const notes = createDocumentStore(world.redis, Notes);
  await eventually('notes', async () => (await notes.load(keys.notes(questionId))) !== null);
  await queues.close();
  return (await notes.load(keys.notes(questionId))) ?? Notes.parse({ v: 1, outcome: 'refused', text: 'gone' });
};

test(
  'names callers, tests and the definition at the head of the change',
  async () => {
    const files = {
      'src/new.ts': textOf("import { priceOf } from './price.ts';", 'export const twice = 2 * priceOf("b");'),
    };
    const number = await open(world, { branch: 'explore', files });
    const { outcome, text } = await ask(number, 'priceOf');
    expect(outcome).toBe('answered');
    const callers = /## Callers\n([^]*?)\n## /.exec(text)?.[1] ?? '';
    const tests = /## Tests\n([^]*?)\n## /.exec(text)?.[1] ?? '';
    expect(callers).toMatch(/src\/cart\.ts:3/);
    expect(callers).toMatch(/src\/new\.ts:2/);
    expect(callers).not.toMatch(/price\.test\.ts/);
    expect(tests).toMatch(/test\/price\.test\.ts:2/);
    expect(text).toMatch(/src\/price\.ts:1/);
    await expect(ask(number, 'nobodyKnowsThis')).resolves.toMatchObject({ outcome: 'answered' });
  },
  STORY_MS,
);

test(
  'says that the checkout lacks a file, so that "none found" is no proof',
  async () => {
    const files = { 'data/big.json': `[${'1,'.repeat(2_700_000)}1]\n` };
    const { text } = await ask(await open(world, { branch: 'big', files }), 'nobodyKnowsThis');
    expect(text).toContain('None found for nobodyKnowsThis.');
    expect(text).toContain('Incomplete: not searched: 1 file (1: too large)');
  },
  STORY_MS,
);

test(
  'refuses what is no symbol instead of searching for it',
  async () => {
    const number = await open(world, { branch: 'refused', files: { 'src/a.ts': textOf('a();') } });
    await expect(ask(number, '--pre=sh')).resolves.toMatchObject({ outcome: 'refused' });
    await expect(ask(number, '.*')).resolves.toMatchObject({ outcome: 'refused' });
  },
  STORY_MS,
);
