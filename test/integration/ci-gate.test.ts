/** CI in the gate, on simulated forges: a round that would pass waits for CI and reports its result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { eventually } from '../support/story-world.ts';
import { commit, setCi, tipOf } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const TEST_MS = 120_000;

const reasonsOf = async (stage: VerdictStage, number: number): Promise<readonly string[]> =>
  (await stage.decisions(number)).map(({ reason }) => reason);

const waitsFor = async (stage: VerdictStage, number: number): Promise<void> =>
  eventually('a round that waits for CI', async () =>
    (await reasonsOf(stage, number)).includes('the CI of this head has not ended'),
  );

/** Number of comments that tell that feedback became a pass. */
const toldOfPass = (stage: VerdictStage, number: number): number =>
  stage.look(number).comments.filter(({ body }) => body.startsWith('Nothing blocks merging any more.')).length;

/** Opens a change whose head's CI starts before the review does. */
const openWithCi = async (stage: VerdictStage, branch: string, content: string) => {
  await stage.push(branch, content);
  const sha = await tipOf(stage, branch);
  await setCi(stage, { sha, name: 'build', passes: null });
  const wish = { repo: stage.repo, branch, title: `Change ${branch}`, author: 'author' };
  return { number: await handsOn(stage.sim).open(wish), sha };
};

const FORGES = usually('forgejo' as const, 'gitlab' as const);

describe.each(FORGES)('on %s, with looks', (kind) => {
  const [passed, blocked] = kind === 'gitlab' ? ['success', 'failed'] : ['success', 'failure'];
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '', '[gate]\nci_deadline_seconds = 40\nignore_contexts = ["optional *"]');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  test(
    'CI that ends well lets the round pass, also when no event tells of it; what does not count does not hold it up',
    async () => {
      stage.sim.setDeliveryFilter(() => 'send');
      const { number, sha } = await openWithCi(stage, 'green', CLEAN);
      await setCi(stage, { sha, name: 'optional deploy', passes: false });
      await waitsFor(stage, number);
      stage.sim.setDeliveryFilter(() => 'drop');
      await setCi(stage, { sha, name: 'build', passes: true });
      expect(await stage.statusOf(number)).toBe(passed);
      stage.sim.setDeliveryFilter(() => 'send');
    },
    TEST_MS,
  );

  test(
    'CI that fails blocks, and an empty commit with better CI passes without a new review',
    async () => {
      const { number, sha } = await openWithCi(stage, 'red', CLEAN);
      await waitsFor(stage, number);
      await setCi(stage, { sha, name: 'build', passes: false });
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(stage.summaryOf(number)).toContain('CI has failed: `build`');
      expect(toldOfPass(stage, number)).toBe(0);
      const reviews = stage.outcomes().filter((outcome) => outcome === 'drafted').length;
      await commit(stage, { branch: 'red', files: {}, message: 'Again\n' });
      expect(await stage.statusOf(number)).toBe(passed);
      expect(stage.outcomes().filter((outcome) => outcome === 'drafted')).toHaveLength(reviews);
      expect(toldOfPass(stage, number)).toBe(1);
    },
    TEST_MS,
  );

  test(
    'CI that is repaired at the same head passes once somebody looks, without a new review',
    async () => {
      const { number, sha } = await openWithCi(stage, 'flaky', CLEAN);
      await waitsFor(stage, number);
      await setCi(stage, { sha, name: 'build', passes: false });
      expect(await stage.statusOf(number)).toBe(blocked);
      const runs = stage.outcomes().length;
      await setCi(stage, { sha, name: 'build', passes: true });
      await handsOn(stage.sim).comment({ repo: stage.repo, number, as: 'author', body: 'The build is repaired.' });
      await stage.sim.until(() => stage.look(number).headStatuses['fixpoint'] === passed, 60_000);
      expect(await stage.statusOf(number)).toBe(passed);
      expect(stage.outcomes()).toHaveLength(runs);
      expect(toldOfPass(stage, number)).toBe(1);
    },
    TEST_MS,
  );

  test(
    'a finding that blocks is told at once, whatever CI does; a newer head ends the waiting',
    async () => {
      const { number } = await openWithCi(stage, 'bad', BAD);
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(await reasonsOf(stage, number)).not.toContain('the CI of this head has not ended');
      const { number: moving } = await openWithCi(stage, 'moving', CLEAN);
      await waitsFor(stage, moving);
      await stage.push('moving', textOf('export const two = 2;'));
      expect(await stage.statusOf(moving)).toBe(passed);
      expect(await reasonsOf(stage, moving)).toContain('the input changed while the review waited for CI');
    },
    TEST_MS,
  );
});

describe.each(FORGES)('on %s, with a near deadline', (kind) => {
  const [passed, unknown] = kind === 'gitlab' ? ['success', 'canceled'] : ['success', 'error'];
  let stage: VerdictStage;
  beforeAll(async () => {
    const gate = '[gate]\nci_deadline_seconds = 8\n[limits]\nrunning_per_project = 1';
    stage = await startVerdictStage(kind, '', gate);
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  test(
    'CI that never ends leaves no verdict at the deadline, and meanwhile others of the project are reviewed',
    async () => {
      const { number } = await openWithCi(stage, 'endless', CLEAN);
      await waitsFor(stage, number);
      const other = await stage.open('meanwhile', CLEAN);
      await stage.sim.until(() => stage.look(other).headStatuses['fixpoint'] === passed, 60_000);
      expect(stage.look(number).headStatuses['fixpoint']).toMatch(/pending|running/);
      expect(await stage.statusOf(number)).toBe(unknown);
      expect(stage.summaryOf(number)).toContain('CI has not ended in time: `build`');
    },
    TEST_MS,
  );
});

describe('on gitlab, with a far deadline', () => {
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage('gitlab', '', '[gate]\nci_deadline_seconds = 86400');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  test(
    'the event of a pipeline wakes the round that waits',
    async () => {
      const { sim, repo } = stage;
      if ('traits' in sim) throw new Error('not a GitLab');
      const { number, sha } = await openWithCi(stage, 'woken', CLEAN);
      await waitsFor(stage, number);
      await setCi(stage, { sha, name: 'build', passes: true });
      const pipeline = { project: repo, sha, ref: 'woken', as: 'author', source: 'merge_request_event' } as const;
      await sim.runPipeline({ ...pipeline, status: 'success' });
      expect(await stage.statusOf(number)).toBe('success');
      const posted = (await stage.decisions(number)).find(({ effect }) => effect === 'post_review');
      expect(new Set(posted?.events)).toEqual(new Set(['forge:pipeline']));
    },
    TEST_MS,
  );
});
