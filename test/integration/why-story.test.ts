/** People who ask why nothing happened are told the rule and the setting; `review.announce_skips` puts the reason in the status. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { usually } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { branchOff, comment, openInto } from './input-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const FINE = textOf('export const one = 1;');
const TEST_MS = 240_000;

describe.each(usually(...FORGE_KINDS))('a change request that is not reviewed, on %s', (kind) => {
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, 'target_branches = ["main"]\nannounce_skips = true');
    await branchOff(stage, 'lab', { from: 'main', files: {} });
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  const answersTo = async (number: number, words: string): Promise<string> => {
    await comment(stage, number, `@fixpoint ${words}`);
    await stage.calm();
    const said = stage.look(number).comments.filter(({ author }) => author === stage.bot);
    return stripMarkers(said.at(-1)?.body ?? '').trim();
  };
  const stateOf = (number: number): string | undefined => stage.look(number).headStatuses['fixpoint'];
  const opened = async (branch: string, target: string, before = ''): Promise<number> => {
    await branchOff(stage, branch, { from: 'main', files: { [`${branch}.js`]: FINE } });
    const number = await openInto(stage, branch, target, before);
    await stage.calm();
    return number;
  };

  test(
    'says which rule keeps it, in the status and to who asks; a review replaces that',
    async () => {
      const number = await opened('left-out', 'lab');
      const reason = 'Not reviewed: reviews are limited to other target branches';
      expect(stage.descriptionOf(number)).toBe(reason);
      expect(['pending', 'running']).toContain(stateOf(number));
      const why = `${reason}; \`review.target_branches\` in the operator's configuration.`;
      expect(await answersTo(number, 'why')).toBe(`${why} Use \`@fixpoint review\` for a single review.`);
      expect(await answersTo(number, 'status')).toContain(why);
      await comment(stage, number, '@fixpoint review');
      expect(await stage.statusOf(number)).toBe('success');
      expect(stage.descriptionOf(number)).toBe('Nothing blocks merging');
      expect(await answersTo(number, 'why')).toMatch(/^Review 1 of .* ended with: nothing blocks merging\.$/);
      await stage.sweep();
      expect(stage.descriptionOf(number)).toBe('Nothing blocks merging');
    },
    TEST_MS,
  );

  test(
    'says that it is a draft, and that reviews are paused',
    async () => {
      const draft = await opened('draft', 'main', 'WIP: ');
      expect(await answersTo(draft, 'why')).toContain(
        "Not reviewed: the change request is a draft; `review.drafts` in the operator's configuration.",
      );
      await comment(stage, draft, '@fixpoint pause');
      await stage.calm();
      expect(await answersTo(draft, 'why')).toContain(
        'reviews of this change request are paused by the command `@fixpoint pause`',
      );
      expect(['pending', 'running']).toContain(stateOf(draft));
    },
    TEST_MS,
  );

  test(
    'does not take the verdict from another one with the same commit',
    async () => {
      const good = await opened('shared', 'main');
      expect(await stage.statusOf(good)).toBe('success');
      await openInto(stage, 'shared', 'lab');
      await stage.calm();
      expect(stateOf(good)).toBe('success');
    },
    TEST_MS,
  );
});
