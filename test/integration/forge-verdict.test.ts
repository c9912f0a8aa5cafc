/** How a verdict is reported to the forge, played through all services on every forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { textOf } from '../support/story.ts';
import { moveTo, tipOf } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const TEST_MS = 120_000;

describe.each(usually(...FORGE_KINDS))('on %s', (kind) => {
  /** The forge's status for a pass, a block, and no verdict. */
  const [passed, blocked, unknown] =
    kind === 'gitlab' ? ['success', 'failed', 'canceled'] : ['success', 'failure', 'error'];

  describe.sequential('with approvals and requests for changes', () => {
    let stage: VerdictStage;
    beforeAll(async () => {
      stage = await startVerdictStage(kind, 'forge_verdict = "approve_and_request_changes"');
    }, TEST_MS);
    afterAll(async () => stage?.close(), TEST_MS);

    test(
      'changes are asked for, then the pass approves, and a head after it has no approval',
      async () => {
        const number = await stage.open('rounds', BAD);
        await stage.askBot(number);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        await stage.push('rounds', CLEAN);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        await stage.push('rounds', BAD);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        expect(stage.summaryOf(number)).not.toContain('The forge has no');
      },
      TEST_MS,
    );

    test(
      'going back to a head that did not pass takes the approval with it, which another head has earned',
      async () => {
        const number = await stage.open('back', BAD);
        await stage.askBot(number);
        expect(await stage.statusOf(number)).toBe(blocked);
        const bad = await tipOf(stage, 'back');
        await stage.push('back', CLEAN);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        await moveTo(stage, 'back', bad);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, []]);
      },
      TEST_MS,
    );

    test(
      'an approval is gone before the review of the next head is over',
      async () => {
        const number = await stage.open('watched', CLEAN);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, ['approved']]);
        const during: (readonly string[])[] = [];
        stage.meanwhile(async () => void during.push(stage.decided(number)));
        await stage.push('watched', textOf('export const two = 2;'));
        await stage.sim.until(() => during.length > 0, 60_000);
        expect([await stage.statusOf(number), during, stage.decided(number)]).toEqual([passed, [[]], ['approved']]);
      },
      TEST_MS,
    );

    test.runIf(kind === 'gitlab')(
      'a bot that is no reviewer asks for nothing, and the summary says so',
      async () => {
        const number = await stage.open('unasked', BAD);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, []]);
        expect(stage.summaryOf(number)).toContain("the bot's account is not a reviewer");
      },
      TEST_MS,
    );
  });

  describe.sequential('with requests for changes alone', () => {
    let stage: VerdictStage;
    beforeAll(async () => {
      stage = await startVerdictStage(kind, 'forge_verdict = "request_changes"');
    }, TEST_MS);
    afterAll(async () => stage?.close(), TEST_MS);

    test(
      'the request goes when the change is clean, and nothing approves',
      async () => {
        const number = await stage.open('cleared', BAD);
        await stage.askBot(number);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([blocked, ['changes_requested']]);
        await stage.push('cleared', CLEAN);
        expect([await stage.statusOf(number), stage.decided(number)]).toEqual([passed, []]);
        expect(stage.look(number).inline).toHaveLength(1);
      },
      TEST_MS,
    );

    test.each(['closed', 'merged'] as const)(
      'a change request that is %s under its first review is neither pending nor passed, and the status says why',
      async (how) => {
        stage.meanwhile(async () => stage.end(number, how));
        const number = await stage.open(`ended-${how}`, CLEAN);
        expect(await stage.statusOf(number)).toBe(unknown);
        expect(stage.descriptionOf(number)).toBe(`Not reviewed: ${how} before the review was complete`);
        // Nobody is told by mail of what never began.
        const { comments, reviews } = stage.look(number);
        expect([...comments, ...reviews].filter(({ author }) => author === stage.bot)).toEqual([]);
        await passesAfterReopening(number, how);
      },
      TEST_MS,
    );

    test.each(['closed', 'merged'] as const)(
      'one that is %s under a later review says so in its summary too',
      async (how) => {
        const branch = `later-${how}`;
        const number = await stage.open(branch, BAD);
        expect(await stage.statusOf(number)).toBe(blocked);
        stage.meanwhile(async () => stage.end(number, how));
        await stage.push(branch, CLEAN);
        expect(await stage.statusOf(number)).toBe(unknown);
        expect(stage.summaryOf(number)).toMatch(
          new RegExp(
            `^\\*\\*Not reviewed\\*\\*: ${how} too early\\n\\nThe review of \`[0-9a-f]+\` was not complete when the change request was ${how}\\.`,
          ),
        );
        await passesAfterReopening(number, how);
      },
      TEST_MS,
    );

    const passesAfterReopening = async (number: number, how: 'closed' | 'merged'): Promise<void> => {
      if (how === 'merged') return;
      await stage.end(number, 'reopened');
      await stage.sim.until(() => stage.look(number).headStatuses['fixpoint'] === passed, 60_000);
      expect(await stage.statusOf(number)).toBe(passed);
    };
  });
});
