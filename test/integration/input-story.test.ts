/** A verdict belongs to head, merge base and target branch: played through all services on every forge. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { advanceMain, commit, tipOf } from './head-deeds.ts';
import { branchOff, comment, openInto, retarget, rewind } from './input-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const FINE = textOf('export const one = 1;');
const TEST_MS = 240_000;
const APPROVES = 'forge_verdict = "approve_and_request_changes"';

describe.each(usually(...FORGE_KINDS))('F-A1 on %s', (kind) => {
  const [passed, blocked] = kind === 'gitlab' ? ['success', 'failed'] : ['success', 'failure'];
  let stage: VerdictStage;
  const waiting = async (number: number): Promise<string | undefined> => {
    await stage.calm();
    return stage.look(number).headStatuses['fixpoint'];
  };

  const after = async (number: number, act: () => Promise<void>): Promise<string> => {
    const runs = stage.outcomes().length;
    await act();
    await stage.sim.until(() => stage.outcomes().length > runs, 60_000);
    return stage.statusOf(number);
  };

  /** `lab` has a defect, and `feat` is based on it: into `lab` the change is clean, into `main` it is not. */
  const layTrap = async (name: string): Promise<number> => {
    await branchOff(stage, `lab-${name}`, { from: 'main', files: { [`bad-${name}.js`]: BAD } });
    await branchOff(stage, `feat-${name}`, { from: `lab-${name}`, files: { [`ok-${name}.js`]: FINE } });
    const number = await openInto(stage, `feat-${name}`, `lab-${name}`);
    if (kind === 'gitlab') await stage.askBot(number);
    return number;
  };

  describe.sequential.each(['', '\n[rounds]\nreview_on_base_change = true\n'])('with %j', (more) => {
    beforeAll(async () => {
      stage = await startVerdictStage(kind, APPROVES, more);
    }, TEST_MS);
    afterAll(async () => stage?.close(), TEST_MS);

    test(
      'F-A1: a pass does not go along to another target branch',
      async () => {
        const number = await layTrap('edit');
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        const status = await after(number, async () => retarget(stage, number, 'main'));
        expect([status, stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        expect(stage.look(number).inline.map(({ path }) => path)).toEqual(['bad-edit.js']);
      },
      TEST_MS,
    );
  });

  describe.sequential('with approvals', () => {
    beforeAll(async () => {
      stage = await startVerdictStage(kind, APPROVES, '[rounds]\nmax = 5\nmax_runs = 12\n');
    }, TEST_MS);
    afterAll(async () => stage?.close(), TEST_MS);

    test(
      'F-A1: a target that is edited while the review runs is reviewed as it is then, and never passes before',
      async () => {
        const seen: (string | undefined)[] = [];
        stage.meanwhile(async () => {
          await retarget(stage, 1, 'main');
          seen.push(stage.look(1).headStatuses['fixpoint']);
        });
        const number = await layTrap('midrun');
        expect(number).toBe(1);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        expect(seen).not.toContain(passed);
        expect(stage.passes()).toBe(0);
      },
      TEST_MS,
    );

    test(
      'F-A1: a target branch that was put back is found by the sweep, although nothing tells of it',
      async () => {
        const before = await tipOf(stage, 'main');
        await advanceMain(stage, { 'bad-rewound.js': BAD });
        await branchOff(stage, 'feat-rewound', { from: 'main', files: { 'ok-rewound.js': FINE } });
        const number = await openInto(stage, 'feat-rewound', 'main');
        if (kind === 'gitlab') await stage.askBot(number);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        await stage.sweep();
        const looked = (await stage.decisions(number)).length;
        await advanceMain(stage, { 'elsewhere.js': FINE });
        await stage.sweep();
        expect([await waiting(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        expect((await stage.decisions(number)).slice(looked).map(({ effect }) => effect)).not.toContain('announce');
        await rewind(stage, 'main', before);
        const status = await after(number, stage.sweep);
        expect([status, stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        expect(stage.look(number).inline.map(({ path }) => path)).toEqual(['bad-rewound.js']);
      },
      TEST_MS,
    );

    test(
      'F-A1: a verdict is carried to another target branch with the same rules, and not to one with others',
      async () => {
        await branchOff(stage, 'twin', { from: 'main', files: { 'twin.md': 'Twin\n' } });
        await branchOff(stage, 'strict', {
          from: 'main',
          files: { '.fixpoint.toml': '[review]\nmin_severity = "P2"\n' },
        });
        await branchOff(stage, 'feat-twin', { from: 'main', files: { 'ok-twin.js': FINE } });
        const number = await openInto(stage, 'feat-twin', 'main');
        expect(await stage.statusOf(number)).toBe(passed);
        expect(await after(number, async () => retarget(stage, number, 'twin'))).toBe(passed);
        expect(stage.outcomes().at(-1)).toBe('same_input');
        expect(await after(number, async () => retarget(stage, number, 'strict'))).toBe(passed);
        expect(stage.outcomes().at(-1)).toBe('drafted');
      },
      TEST_MS,
    );

    test(
      'F-A1: a call for a review after the target was edited is no repetition of the old verdict',
      async () => {
        const number = await layTrap('asked');
        expect(await stage.statusOf(number)).toBe(passed);
        await commit(stage, { branch: 'unrelated', files: {} });
        const status = await after(number, async () => {
          await retarget(stage, number, 'main');
          await comment(stage, number, '@fixpoint review');
        });
        expect(status).toBe(blocked);
        expect(stage.look(number).comments.filter(({ body }) => body.includes('The verdict for'))).toEqual([]);
      },
      TEST_MS,
    );
  });
});

describe.each(usually('forgejo' as const, 'gitea' as const))(
  'F-A1 on %s, while the forge does not tell the merge base',
  (kind) => {
    let stage: VerdictStage;
    beforeEach(async () => {
      stage = await startVerdictStage(kind, APPROVES);
    }, TEST_MS);
    afterEach(async () => stage?.close(), TEST_MS);

    test(
      'F-A1: nothing is reviewed again and nothing passes unseen: a run computes it, and the verdict is carried',
      async () => {
        const { sim, repo } = stage;
        if (!('traits' in sim)) throw new Error('a forge without pull requests');
        await branchOff(stage, 'feat', { from: 'main', files: { 'ok.js': FINE } });
        const number = await openInto(stage, 'feat', 'main');
        expect(await stage.statusOf(number)).toBe('success');
        const pull = sim.pullAt({ repo, number });
        await advanceMain(stage, { 'elsewhere.js': FINE });
        pull.mergeBase = '';
        await comment(stage, number, 'Any news?');
        await sim.until(() => stage.outcomes().length > 1, 60_000);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual(['success', ['approved']]);
        expect(stage.outcomes()).toEqual(['drafted', 'same_input']);
        await comment(stage, number, 'And now?');
        await stage.calm();
        expect(stage.outcomes()).toEqual(['drafted', 'same_input']);
      },
      TEST_MS,
    );
  },
);
