/** Thumbs on findings: read once, when the change request has ended, and without any effect on it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCountedReactions } from '../../shared/store/learning/counted-reactions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { homeOf, startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const NOISY = textOf('export const one = (text) => eval(text);', 'debugger;');
const TEST_MS = 240_000;
const READS = /\/(?:reactions|award_emoji)(?:\?|$)/;

describe.each(FORGE_KINDS)('thumbs on findings on %s', (kind) => {
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '', '[gate]\nwait_for_ci = false');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  /** On the finding whose comment matches. */
  const give = async (number: number, on: RegExp, as: string, thumb: 'up' | 'down'): Promise<void> => {
    const { sim, repo } = stage;
    if ('traits' in sim) {
      const comment = sim
        .pullAt({ repo, number })
        .comments.find(({ kind: of, body }) => of === 'code' && on.test(body));
      sim.react({ repo, number, as, comment: comment?.id ?? 0, content: thumb === 'up' ? '+1' : '-1' });
    } else {
      const at = { project: repo, iid: number };
      const note = sim.mergeRequestAt(at).notes.find(({ body, position }) => position !== null && on.test(body));
      await sim.award({ ...at, as, note: note?.id ?? 0, name: thumb === 'up' ? 'thumbsup' : 'thumbsdown' });
    }
  };

  const reads = (): number =>
    stage.sim.requests.filter(({ method, path }) => method === 'GET' && READS.test(path)).length;
  const counts = () =>
    stage
      .logged('reactions counted')
      .map(({ changeRequest, findings, up, down }) => ({ changeRequest, findings, up, down }));

  test(
    'are counted when it is merged, once, and change neither verdict nor thread',
    async () => {
      const number = await stage.open('noisy', NOISY);
      const verdict = await stage.statusOf(number);
      expect(stage.look(number).inline).toHaveLength(2);
      const [before, asked] = [stage.look(number), stage.sim.requests.length];

      await give(number, /eval/, 'author', 'down');
      await give(number, /eval/, 'shop-team', 'down');
      await give(number, /eval/, stage.bot, 'up');
      await give(number, /debugger/, 'author', 'up');
      await stage.calm();
      await stage.sweep();
      expect([reads(), counts()]).toEqual([0, []]);
      expect(stage.look(number)).toEqual(before);
      expect(await stage.statusOf(number)).toBe(verdict);
      expect(stage.sim.requests.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([]);

      await stage.end(number, 'merged');
      await stage.calm();
      expect(counts()).toEqual([{ changeRequest: number, findings: 2, up: 1, down: 2 }]);
      expect(reads()).toBe(2);
      expect(stage.look(number)).toEqual(before);
      const of = { forge: 'sim', projectId: homeOf(stage.sim, stage.repo).id, number };
      expect(await createCountedReactions(stage.redis, createKeys('fixpoint')).has(of)).toBe(true);
    },
    TEST_MS,
  );

  test(
    'are counted once for a change request that is closed, reopened and closed again',
    async () => {
      const number = await stage.open('again', NOISY.replace('one', 'two'));
      await stage.statusOf(number);
      await give(number, /debugger/, 'author', 'down');
      const before = reads();
      for (const how of ['closed', 'reopened', 'closed'] as const) {
        await stage.end(number, how);
        await stage.calm();
      }
      expect(counts().filter(({ changeRequest }) => changeRequest === number)).toEqual([
        { changeRequest: number, findings: 2, up: 0, down: 1 },
      ]);
      expect(reads() - before).toBe(2);
    },
    TEST_MS,
  );

  test(
    'do not hold up the end when the forge refuses to tell them',
    async () => {
      const number = await stage.open('refused', NOISY.replace('one', 'three'));
      await stage.statusOf(number);
      const fault = stage.sim.fault(
        { method: 'GET', path: /\/(?:reactions|award_emoji)/ },
        { kind: 'status', status: 403 },
      );
      await stage.end(number, 'closed');
      await stage.calm();
      fault.remove();
      expect(counts().filter(({ changeRequest }) => changeRequest === number)).toEqual([]);
      expect(stage.logged('the reactions to findings could not be read')).toHaveLength(1);
    },
    TEST_MS,
  );
});
