/** A commit's status applies to every open change request with that head, on every forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { eventually } from '../support/story-world.ts';
import { commit, moveTo, setCi, tipOf } from './head-deeds.ts';
import { branchOff, comment, openInto } from './input-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const FINE = textOf('export const one = 1;');
const TEST_MS = 240_000;

describe.each(usually(...FORGE_KINDS))('F-A2 on %s', (kind) => {
  const [passed, blocked] = kind === 'gitlab' ? ['success', 'failed'] : ['success', 'failure'];
  const sigil = kind === 'gitlab' ? '!' : '#';
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, 'target_branches = ["main", "lab*"]');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  const statusOf = (number: number): string | undefined => stage.look(number).headStatuses['fixpoint'];
  const becomes = async (number: number, ...wanted: readonly string[]): Promise<void> => {
    await eventually(`${wanted.join(' or ')} instead of ${statusOf(number)}`, () =>
      wanted.includes(statusOf(number) ?? 'none'),
    );
    await stage.calm();
    expect(wanted).toContain(statusOf(number));
  };
  const waits = ['pending', 'running'];

  /** Creates a branch without defects relative to `lab…`, but with one relative to `main`. */
  const layTwo = async (name: string): Promise<void> => {
    await branchOff(stage, `lab-${name}`, { from: 'main', files: { [`bad-${name}.js`]: BAD } });
    await branchOff(stage, name, { from: `lab-${name}`, files: { [`ok-${name}.js`]: FINE } });
  };

  test(
    'F-A2: one that fails holds the other, in both orders, until it is closed; reopened, it holds it again',
    async () => {
      await layTwo('first-fails');
      const bad = await openInto(stage, 'first-fails', 'main');
      await becomes(bad, blocked);
      const good = await openInto(stage, 'first-fails', 'lab-first-fails');
      await eventually('its verdict', () =>
        stage.look(good).comments.some(({ body }) => body.startsWith('**No problems found**')),
      );
      await becomes(good, blocked);
      expect(stage.summaryOf(good)).toContain(`\`${sigil}${bad}\`, which has the same head, determined the status`);
      await stage.end(bad, 'closed');
      await becomes(good, passed);
      await stage.end(bad, 'reopened');
      await becomes(good, blocked);

      await layTwo('last-fails');
      const first = await openInto(stage, 'last-fails', 'lab-last-fails');
      await becomes(first, passed);
      const second = await openInto(stage, 'last-fails', 'main');
      await becomes(second, blocked);
      await comment(stage, first, '@fixpoint review');
      await stage.sweep();
      await becomes(first, blocked);
      await stage.end(second, 'closed');
      await becomes(first, passed);
    },
    TEST_MS,
  );

  test(
    'F-A2: one without a verdict counts as pending: a draft; and it holds nobody once it has another head',
    async () => {
      await layTwo('drafted');
      const good = await openInto(stage, 'drafted', 'lab-drafted');
      await becomes(good, passed);
      await branchOff(stage, 'drafted-too', { from: 'drafted', files: {} });
      await moveTo(stage, 'drafted-too', await tipOf(stage, 'drafted'));
      const draft = await openInto(stage, 'drafted-too', 'main', 'WIP: ');
      await becomes(good, ...waits);
      await commit(stage, { branch: 'drafted-too', files: { 'more.js': FINE } });
      await becomes(good, passed);
      expect(draft).toBeGreaterThan(good);
    },
    TEST_MS,
  );

  test(
    'F-A2: one into a branch that the operator left out does not count',
    async () => {
      await layTwo('left-out');
      await branchOff(stage, 'other', { from: 'main', files: {} });
      const good = await openInto(stage, 'left-out', 'lab-left-out');
      await becomes(good, passed);
      const other = await openInto(stage, 'left-out', 'other');
      await stage.calm();
      expect([statusOf(good), statusOf(other)]).toEqual([passed, passed]);
    },
    TEST_MS,
  );

  test(
    'F-E4: a status that somebody else overwrote is written again by the sweep',
    async () => {
      await branchOff(stage, 'overwritten', { from: 'main', files: { 'ok-overwritten.js': FINE } });
      const number = await openInto(stage, 'overwritten', 'main');
      await becomes(number, passed);
      await stage.sweep();
      const sha = await tipOf(stage, 'overwritten');
      await setCi(stage, { sha, name: 'fixpoint', passes: kind === 'gitlab' ? false : null });
      expect(statusOf(number)).not.toBe(passed);
      // The older a verdict is, the longer the sweep waits before it checks the status again.
      await eventually('a sweep that looks at the status', async () => {
        await stage.sweep();
        return statusOf(number) === passed;
      });
    },
    TEST_MS,
  );
});
