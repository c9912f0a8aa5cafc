/** Redis is lost while the first review of a change request runs: the forge has no comment of the bot, but the status. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commit } from '../integration/head-deeds.ts';
import { openInto } from '../integration/input-deeds.ts';
import { startVerdictStage, type VerdictStage } from '../integration/verdict-stage.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { eventually } from '../support/story-world.ts';

const STORY_MS = 120_000;

describe.each(FORGE_KINDS)('on %s', (kind) => {
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '');
  }, STORY_MS);
  afterAll(async () => stage?.close(), STORY_MS);

  test(
    'F-R12: a run that only the status announces is not started again after a loss of Redis, and no comment tells of it',
    async () => {
      await commit(stage, { branch: 'work', files: { 'work.js': 'export const run = (text) => eval(text);\n' } });
      let wiped = 0;
      stage.meanwhile(async () => {
        await stage.wipe();
        wiped += 1;
      });
      const number = await openInto(stage, 'work', 'main');
      await eventually('the loss of Redis', () => wiped === 1);
      const comments = stage.look(number).comments.filter(({ author }) => author === stage.bot);
      expect([comments, stage.look(number).reviews]).toEqual([[], []]);
      await stage.sweep();
      const decided = await stage.decisions(number);
      expect(decided.map(({ effect }) => effect)).not.toContain('announce');
      expect(decided.map(({ reason }) => reason)).toContain('this input is being reviewed');
      expect(['pending', 'running']).toContain(stage.look(number).headStatuses['fixpoint']);
    },
    STORY_MS,
  );
});
