/** What happens when a provider asks to come back later. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../services/slots/task/task.ts';
import type { TaskListing, TaskSource } from '../../../services/slots/task/task-source.ts';
import { createLoopStage, type LoopStage } from './loop-stage.ts';
import { codexStream } from './streams.ts';

let stage: LoopStage;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

const IS_DEEP = process.env['FIXPOINT_DEEP'] === '1';
const LATER = "complain('retry-after: 0'); process.exitCode = 1";
const ONCE = `if (run === 0) { ${LATER} } else append('a.txt', 'x')`;
const T1: Task = { id: 't1', title: 'Task t1', description: '', status: 'open', priority: 'P2' };
const NOTHING: TaskListing = { kind: 'listed', tasks: [] };
const answering = (...listings: readonly TaskListing[]): TaskSource => {
  const left = [...listings];
  return { list: () => Promise.resolve(left.shift() ?? NOTHING) };
};

describe('the loop', () => {
  it('waits and gives the task again where every agent that failed is asked to come back later', async () => {
    const implementer = ONCE.replace('retry-after: 0', 'retry_after: 1');
    const { ended, slots, states } = await stage.run({ implementer });
    expect(slots.map(({ status }) => status)).toEqual(['failed', 'passed']);
    expect(ended).toBe('no_tasks');
    expect(states.some(({ paused }) => paused?.startsWith('waits 1 s') === true)).toBe(true);
  });

  it('gives that task again although its source lists it no more', async () => {
    const { ended, slots } = await stage.run(
      { implementer: ONCE },
      { source: answering({ kind: 'listed', tasks: [T1] }) },
    );
    expect([ended, slots.map(({ task, status }) => [task, status])]).toEqual([
      'no_tasks',
      [
        ['t1', 'failed'],
        ['t1', 'passed'],
      ],
    ]);
  });

  it('has failed where nobody knows the task and nothing is listed after the wait', async () => {
    const source = answering({ kind: 'unavailable', reason: 'no bd' });
    const { ended, slots } = await stage.run({ implementer: ONCE }, { source });
    expect([ended, slots.length]).toEqual(['failed', 1]);
  });

  it('does not wait for ever: after three times in a row it has failed', async () => {
    const { ended, slots } = await stage.run({ implementer: LATER });
    expect([ended, slots.length]).toEqual(['failed', 4]);
  });

  it.each(IS_DEEP ? [1, 2, 3] : [1])(
    'does not wait in the last of %d iterations: it has failed',
    async (iterations) => {
      const implementer = `if (run + 1 === ${iterations}) complain('retry-after: 3000'); else complain('retry-after: 0'); process.exitCode = 1`;
      const { ended, slots } = await stage.run({ implementer }, { settings: { iterations } });
      expect([ended, slots.length]).toEqual(['failed', iterations]);
    },
  );

  it('does not wait for an agent that broke the contract, nor longer than an hour', async () => {
    const reviewer = "complain('retry-after: 0')";
    expect((await stage.run({ reviewer })).slots).toHaveLength(1);
    const implementer = "complain('retry-after: 3601'); process.exitCode = 1";
    expect((await stage.run({ implementer })).slots).toHaveLength(1);
  });

  it.each([
    ['reviewer', { reviewer: LATER }],
    ['fixer', { reviewer: "verdict('drift', 'x')", fixer: LATER }],
  ])('does not wait for a %s: its exit code is final', async (role, agents) => {
    const { ended, slots } = await stage.run(agents);
    expect([ended, slots]).toMatchObject(['failed', [{ failure: `${role}_failed` }]]);
  });

  it('does not take for an answer of the provider what an agent or its tools print', async () => {
    const quoting = codexStream({ words: ['It says: retry after 0 seconds.'], toolResult: 'retry-after: 0' });
    const implementer = `say('retry-after: 0'); process.exitCode = 1`;
    expect((await stage.run({ implementer })).slots).toHaveLength(1);
    const streaming = `say(${JSON.stringify(quoting)}); process.exitCode = 1`;
    expect((await stage.run({ implementer: streaming })).slots).toHaveLength(1);
  });

  it('waits for an error among the events of an agent', async () => {
    const failure = JSON.stringify({ type: 'turn.failed', error: { message: 'usage limit, try again in 0 s' } });
    const implementer = `if (run === 0) say(${JSON.stringify(failure)}); else append('a.txt', 'x')`;
    expect((await stage.run({ implementer })).slots.map(({ status }) => status)).toEqual(['failed', 'passed']);
  });
});
