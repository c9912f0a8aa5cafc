/** The status of a commit that was replaced during its run, and of one whose review is not due. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { commitBase, open, push, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, eventually, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

type Said = { readonly state: string; readonly description: string };

describe.sequential.each(usually<'forgejo' | 'gitea'>('forgejo', 'gitea'))('the status of a commit on %s', (forge) => {
  let world: StoryWorld;
  beforeAll(async () => {
    world = await startStoryWorld({ forge, review: 'labels = ["ready"]\nignore_authors = ["other-*"]' });
    await commitBase(world, { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => world?.finish(), STORY_MS);

  const saidAt = (number: number, head: string): Said | undefined => {
    const found = world.sim
      .snapshot(REPO, number)
      .statuses.findLast(({ sha, context }) => sha === head && context === 'fixpoint');
    return found === undefined ? undefined : { state: found.state, description: found.description };
  };
  const headOf = (number: number): string => world.sim.pullAt({ repo: REPO, number }).headSha;
  const ready = async (branch: string, content: string): Promise<number> => {
    const number = await open(world, { branch, files: { [`${branch}.js`]: content } });
    world.sim.addLabels({ repo: REPO, number, as: OWNER, labels: ['ready'] });
    return number;
  };
  const meanwhile = (match: Parameters<StoryWorld['sim']['fault']>[0], task: () => Promise<void>): void =>
    void world.sim.fault(match, { kind: 'meanwhile', task });

  test(
    'is ended when its head was left in mid-run, and names what came instead',
    async () => {
      let newer = '';
      meanwhile({ path: 'git-upload-pack' }, async () => {
        newer = await push(world, 'moved', { 'moved.js': CLEAN });
        await world.sim.settled();
      });
      const number = await ready('moved', BAD);
      const older = headOf(number);
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(newer).not.toBe('');
      expect(saidAt(number, older)).toEqual({
        state: 'error',
        description: `Not reviewed: replaced by commit ${newer.slice(0, 10)}`,
      });
      expect(saidAt(number, newer)?.state).toBe('success');
    },
    STORY_MS,
  );

  test(
    'stays with another open pull request of it that waits',
    async () => {
      const number = await open(world, { branch: 'pair', files: { 'pair.js': CLEAN } });
      const older = headOf(number);
      await world.sim.moveBranch({ repo: REPO, branch: 'pair-too', to: older, as: AUTHOR });
      const other = await open(world, { branch: 'pair-too', files: {} });
      await world.sim.moveBranch({ repo: REPO, branch: 'pair-too', to: older, as: AUTHOR });
      await world.calm();
      await push(world, 'pair', { 'more.js': CLEAN });
      await world.calm();
      expect(headOf(other)).toBe(older);
      expect(saidAt(other, older)?.state).toBe('pending');
      await push(world, 'pair-too', { 'other.js': CLEAN });
      await world.calm();
      expect(saidAt(other, older)).toMatchObject({ state: 'error' });
    },
    STORY_MS,
  );

  test(
    'is the verdict where the pull request was merged after everything was posted',
    async () => {
      const number = await ready('late', CLEAN);
      await verdictOf(world, number);
      meanwhile(
        { method: 'PATCH', path: '/issues/comments/', body: /Commit `[0-9a-f]+`(?! is being reviewed)/ },
        async () => {
          await world.sim.merge({ repo: REPO, number, as: OWNER });
          await world.sim.settled();
        },
      );
      const head = await push(world, 'late', { 'bad.js': BAD });
      await eventually('a last word', () => saidAt(number, head)?.state === 'failure');
      await world.calm();
      expect(summaryOf(world, number).verdict).toBe('feedback');
      expect(saidAt(number, head)).toMatchObject({
        state: 'failure',
        description: 'Problems to fix before merging',
      });
    },
    STORY_MS,
  );

  test(
    'is as the forge has it when the target branch is deleted',
    async () => {
      const main = await open(world, { branch: 'any', files: { 'any.js': CLEAN } });
      const tip = world.sim.pullAt({ repo: REPO, number: main }).baseSha;
      await world.sim.moveBranch({ repo: REPO, branch: 'release', to: tip, as: OWNER });
      const number = await open(world, { branch: 'orphan', files: { 'orphan.js': CLEAN }, base: 'release' });
      await world.calm();
      expect(saidAt(number, headOf(number))?.state).toBe('pending');
      const targetOf = (): string => world.sim.pullAt({ repo: REPO, number }).baseRef;
      await world.sim.moveBranch({ repo: REPO, branch: 'release', to: null, as: OWNER });
      await world.calm();
      await world.sweep();
      const { state } = world.sim.pullAt({ repo: REPO, number });
      expect([state, targetOf(), saidAt(number, headOf(number))?.state]).toEqual(
        forge === 'gitea' ? ['open', 'main', 'pending'] : ['closed', 'release', 'error'],
      );
      if (forge !== 'gitea') return;
      world.sim.addLabels({ repo: REPO, number, as: OWNER, labels: ['ready'] });
      expect(await verdictOf(world, number)).toBe('lgtm');
    },
    STORY_MS,
  );

  test.runIf(forge === 'gitea')(
    'is the verdict where the target branch is deleted in mid-run, into the target that the forge chose',
    async () => {
      const tip = world.sim.pullAt({ repo: REPO, number: 1 }).mergeBase;
      await world.sim.moveBranch({ repo: REPO, branch: 'hotfix', to: tip, as: OWNER });
      const files = { 'mid.js': CLEAN };
      const number = await open(world, { branch: 'mid', files, base: 'hotfix' });
      meanwhile({ path: 'git-upload-pack' }, async () => {
        await world.sim.moveBranch({ repo: REPO, branch: 'hotfix', to: null, as: OWNER });
        await world.sim.settled();
      });
      world.sim.addLabels({ repo: REPO, number, as: OWNER, labels: ['ready'] });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(world.sim.pullAt({ repo: REPO, number }).baseRef).toBe('main');
    },
    STORY_MS,
  );

  test(
    'says why a new head is not reviewed, and is ended when it is left or closed',
    async () => {
      const number = await open(world, { branch: 'unlabelled', files: { 'a.js': CLEAN } });
      await world.calm();
      const older = headOf(number);
      const head = await push(world, 'unlabelled', { 'b.js': CLEAN });
      const draft = await open(world, { branch: 'draft', files: { 'c.js': CLEAN }, title: 'WIP: later' });
      await world.calm();
      const waits = { state: 'pending', description: 'Not reviewed: the label ready is missing' };
      expect([saidAt(number, older)?.state, saidAt(number, head)]).toEqual(['error', waits]);
      expect(saidAt(draft, headOf(draft))).toEqual({
        state: 'pending',
        description: 'Not reviewed: the change request is a draft',
      });
      world.sim.setState({ repo: REPO, number: draft, as: AUTHOR }, 'closed');
      await world.calm();
      expect(saidAt(draft, headOf(draft))).toEqual({
        state: 'error',
        description: 'Not reviewed: closed before the review was complete',
      });
      world.sim.addLabels({ repo: REPO, number, as: OWNER, labels: ['ready'] });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(statusOf(world, number)).toBe('success');
    },
    STORY_MS,
  );
});
