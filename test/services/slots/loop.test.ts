import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveAgent } from '../../../services/slots/live-state.ts';
import type { Task } from '../../../services/slots/task.ts';
import type { TaskSource } from '../../../services/slots/task-source.ts';
import { createLoopStage, type LoopStage } from './loop-stage.ts';
import { claudeStream, codexStream } from './streams.ts';

let stage: LoopStage;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

const task = (id: string): Task => ({ id, title: `Task ${id}`, description: '', status: 'open', priority: 'P2' });
const listed = (...lists: readonly (readonly Task[])[]): TaskSource => {
  let asked = -1;
  return {
    list: () => {
      asked = Math.min(asked + 1, lists.length - 1);
      return Promise.resolve({ kind: 'listed', tasks: lists[asked] ?? [] });
    },
  };
};
const nobodyKnows: TaskSource = { list: () => Promise.resolve({ kind: 'unavailable', reason: 'no bd' }) };
const phasesOf = (states: readonly { readonly agents: readonly LiveAgent[] }[]): readonly string[] => {
  const phases = states.map(({ agents: [agent] }) => agent?.reviewPhase ?? null).map((phase) => JSON.stringify(phase));
  return phases.filter((phase, index) => phase !== phases[index - 1]);
};
const DRIFT_THEN_PASS =
  "verdict(existsSync('fixed.txt') ? 'pass' : 'drift', existsSync('fixed.txt') ? 'fine' : 'write fixed.txt')";

describe('a task', () => {
  it('passes at its first review, and its work comes back as a commit', async () => {
    const { ended, slots } = await stage.run({});
    expect(ended).toBe('no_tasks');
    expect(slots).toEqual([
      { slot: 1, iteration: 1, task: 'task', status: 'passed', failure: null, reason: null, fixAttempts: 0 },
    ]);
    expect(readFileSync(join(stage.root, 'a.txt'), 'utf8')).toBe('one\nmore\n');
    expect(stage.git('log', '--format=%s')).toBe('Say more\nbegin');
    expect([stage.git('status', '--porcelain'), stage.git('branch', '--format=%(refname:short)')]).toEqual([
      '',
      'main',
    ]);
    expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('is fixed after drift: the fixer is told what the reviewer asked for, the reviewer then of the attempt', async () => {
    const { slots, states } = await stage.run({
      reviewer: DRIFT_THEN_PASS,
      fixer: "write('fixed.txt', 'x'); say('wrote it')",
    });
    expect(slots).toMatchObject([{ status: 'passed', fixAttempts: 1 }]);
    expect(stage.prompts('fixer')).toEqual(['write fixed.txt']);
    const again = stage.prompts('reviewer').filter((prompt) => prompt.includes('Fix attempt'));
    expect(again).toHaveLength(1);
    expect(again[0]).toMatch(/Fix attempt 1 of 5[\s\S]*write fixed\.txt/);
    expect(again[0]).toContain('wrote it');
    expect(phasesOf(states)).toEqual([
      'null',
      '{"kind":"reviewing","taskId":"task"}',
      '{"kind":"fixing","attempt":1,"maxAttempts":5}',
      '{"kind":"reviewing","taskId":"task"}',
      'null',
    ]);
  });

  it('fails when drift remains after all attempts, and its work is kept', async () => {
    const { ended, slots } = await stage.run(
      { reviewer: "verdict('drift', 'more ' + run)" },
      { settings: { reviewMaxFixAttempts: 2 } },
    );
    expect(ended).toBe('failed');
    expect(slots).toMatchObject([
      {
        status: 'failed',
        failure: 'drift_unresolved',
        fixAttempts: 2,
        reason: expect.stringContaining('2 fix attempts'),
      },
    ]);
    expect([stage.prompts('reviewer').length, stage.prompts('fixer').length]).toEqual([3, 2]);
    const [kept = ''] = readdirSync(join(stage.root, '.fixpoint', 'loop', 'trees'));
    expect(readFileSync(join(stage.root, '.fixpoint', 'loop', 'trees', kept, 'a.txt'), 'utf8')).toBe(
      'one\nmore\nfixed\nfixed\n',
    );
    expect(readFileSync(join(stage.root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(stage.git('status', '--porcelain')).toBe('');
  });

  it('stops early when the same drift is said over an unchanged tree', async () => {
    const { slots } = await stage.run({ reviewer: "verdict('drift', 'do it')", fixer: "say('I did')" });
    expect(slots).toMatchObject([{ failure: 'not_converging', fixAttempts: 1 }]);
    expect(stage.prompts('reviewer')).toHaveLength(2);
  });

  // The rest of what is no verdict is in verdict.test.ts.
  it.each([['no JSON', "say('looks good')", 'no JSON object']])(
    'fails at once when the reviewer says %s',
    async (_, reviewer, reason) => {
      const { ended, slots } = await stage.run({ reviewer });
      expect(ended).toBe('failed');
      expect(slots).toMatchObject([
        { failure: 'contract_violation', fixAttempts: 0, reason: expect.stringContaining(reason) },
      ]);
      expect([stage.prompts('reviewer').length, stage.prompts('fixer').length]).toEqual([1, 0]);
    },
  );

  it('fails when the reviewer exits with another code, whatever it said', async () => {
    const { slots } = await stage.run({ reviewer: "verdict('pass', 'fine'); process.exitCode = 4" });
    expect(slots).toMatchObject([{ failure: 'reviewer_failed', reason: expect.stringContaining('exit code 4') }]);
  });

  it('fails when the fixer exits with another code, without another review', async () => {
    const { slots } = await stage.run({ reviewer: "verdict('drift', 'x')", fixer: 'process.exitCode = 5' });
    expect(slots).toMatchObject([{ failure: 'fixer_failed', fixAttempts: 1 }]);
    expect(stage.prompts('reviewer')).toHaveLength(1);
  });

  it('is not reviewed when the implementer exits with another code', async () => {
    const { slots } = await stage.run({ implementer: 'process.exitCode = 6' });
    expect(slots).toMatchObject([{ failure: 'implementer_failed' }]);
    expect(stage.prompts('reviewer')).toEqual([]);
  });

  it('fails when its reviewer changes files', async () => {
    const { slots } = await stage.run({ reviewer: "write('b.txt', 'x'); verdict('pass', 'fine')" });
    expect(slots).toMatchObject([{ failure: 'contract_violation', reason: expect.stringContaining('changed files') }]);
  });

  it('is not reviewed when the review is off', async () => {
    const { slots } = await stage.run({}, { settings: { reviewEnabled: false } });
    expect(slots).toMatchObject([{ status: 'unreviewed' }]);
    expect(stage.prompts('reviewer')).toEqual([]);
    expect(stage.git('log', '--format=%s')).toBe('Say more\nbegin');
  });

  it('ends when an agent takes too long, with everything that it started', async () => {
    const agents = {
      implementer: "sh('sleep 60 & echo $! > pid'); await new Promise(() => setTimeout(() => {}, 60_000))",
    };
    const { slots } = await stage.run(agents, { settings: { agentTimeout: 1 } });
    expect(slots).toMatchObject([
      { failure: 'implementer_failed', reason: expect.stringContaining('longer than 1 s') },
    ]);
    const [kept = ''] = readdirSync(join(stage.root, '.fixpoint', 'loop', 'trees'));
    const pid = readFileSync(join(stage.root, '.fixpoint', 'loop', 'trees', kept, 'pid'), 'utf8').trim();
    await expect.poll(() => existsSync(`/proc/${pid}/cwd`), { timeout: 5_000 }).toBe(false);
  });
});

describe('the reviewer sees', () => {
  it('what was committed, what was not, and what git does not know yet', async () => {
    const implementer =
      "append('a.txt', 'in a commit\\n'); sh('git commit -qam one'); append('a.txt', 'in no commit\\n'); write('new.txt', 'unknown\\n')";
    await stage.run({ implementer });
    const [prompt = ''] = stage.prompts('reviewer');
    expect(prompt).toMatch(
      /### Committed[\s\S]*\+in a commit[\s\S]*### Uncommitted[\s\S]*\+in no commit[\s\S]*### Untracked files[\s\S]*\+unknown/,
    );
    expect(stage.git('show', 'HEAD:new.txt')).toBe('unknown');
  });

  it('what fits of it, and that it was cut', async () => {
    await stage.run({ implementer: "append('a.txt', 'y'.repeat(60_000)); say('z'.repeat(60_000))" });
    const [prompt = ''] = stage.prompts('reviewer');
    expect(prompt.match(/\[cut: the first 50000 of 60\d{3} characters/g)).toHaveLength(2);
    expect(prompt.length).toBeLessThan(110_000);
  });

  it('whether others work beside it', async () => {
    const source = listed([task('t1'), task('t2')], []);
    await stage.run({}, { source, settings: { parallel: 2 } });
    expect(stage.prompts('reviewer')[0]).toContain('2 agents work at the same time');
  });
});

describe('event streams', () => {
  const sayStream = (stream: string): string => `say(${JSON.stringify(stream)})`;
  const verdict = '{"verdict": "pass", "followUpPrompt": "fine"}';

  it.each([
    ['claude', claudeStream({ words: ['It has { braces }.', verdict] })],
    ['codex', codexStream({ words: ['It has { braces }.', verdict] })],
  ])('of %s give their verdict and count in the totals with those of implementer and fixer', async (_, stream) => {
    const { slots, states } = await stage.run({
      implementer: sayStream(claudeStream({ words: ['done'] })),
      reviewer: sayStream(stream),
    });
    expect(slots).toMatchObject([{ status: 'passed' }]);
    const isClaude = stream.includes('total_cost_usd');
    expect(states.at(-1)?.usage.inputTokens).toBe(isClaude ? 2_460 : 2_130);
  });
});

describe('the loop', () => {
  const STOP = "say('no_beads_available')";

  it('gives each task once, although its source still lists it', async () => {
    const { slots, iterations, ended } = await stage.run({}, { source: listed([task('t1'), task('t2')]) });
    expect(slots.map(({ task: id }) => id)).toEqual(['t1', 't2']);
    expect([iterations, ended]).toEqual([2, 'no_tasks']);
  });

  it('ends at the stop marker of an implementer who was given no task, and keeps nothing', async () => {
    const { ended, iterations } = await stage.run({ implementer: STOP }, { source: nobodyKnows });
    expect([ended, iterations]).toEqual(['stop_marker', 1]);
    expect(stage.prompts('reviewer')).toEqual([]);
    expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('ends at the stop marker of a fixer, after the slot', async () => {
    const agents = { reviewer: DRIFT_THEN_PASS, fixer: `write('fixed.txt', 'x'); ${STOP}` };
    const { ended, slots } = await stage.run(agents, { source: nobodyKnows, settings: { iterations: 3 } });
    // Nobody picked a task, so that nothing was reviewed: the fixer is not asked, and the iterations are used up.
    expect([ended, slots.length]).toEqual(['iterations', 3]);
    const picked =
      "say(JSON.stringify({type: 'item.completed', item: {type: 'command_execution', command: 'bd update fx-9 --claim'}}))";
    const again = await stage.run({ ...agents, implementer: picked }, { source: nobodyKnows });
    expect([again.ended, again.iterations]).toEqual(['stop_marker', 1]);
    expect(again.slots).toMatchObject([{ task: 'fx-9', status: 'passed', fixAttempts: 1 }]);
  });

  it('does not end at a reviewer who quotes the marker', async () => {
    const reviewer = `${STOP}; verdict('pass', 'it prints no_beads_available')`;
    const { ended, slots } = await stage.run({ reviewer }, { source: listed([task('t1')], [task('t2')], []) });
    expect([ended, slots.length]).toEqual(['no_tasks', 2]);
  });

  it('does not believe the marker while its source lists more', async () => {
    const { ended, slots } = await stage.run(
      { implementer: `${STOP}; append('a.txt', 'x')` },
      { source: listed([task('t1'), task('t2')]) },
    );
    expect(slots).toHaveLength(2);
    expect(ended).toBe('stop_marker');
  });

  it('ends after its iterations', async () => {
    const source = listed([task('t1'), task('t2'), task('t3')]);
    const { ended, slots } = await stage.run({}, { source, settings: { iterations: 2 } });
    expect([ended, slots.length]).toEqual(['iterations', 2]);
  });

  it('fails as a whole when one slot fails, and the others come to their ends', async () => {
    const implementer =
      "if (prompt.includes('t2')) process.exitCode = 1; else write(prompt.match(/t\\d/)[0] + '.txt', 'x')";
    const source = listed(['t1', 't2', 't3', 't4'].map(task));
    const { ended, slots } = await stage.run({ implementer }, { source, settings: { parallel: 4 } });
    expect(ended).toBe('failed');
    expect(slots.map(({ task: id, status }) => [id, status])).toEqual([
      ['t1', 'passed'],
      ['t2', 'failed'],
      ['t3', 'passed'],
      ['t4', 'passed'],
    ]);
    expect(['t1.txt', 't3.txt', 't4.txt'].map((name) => existsSync(join(stage.root, name)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(stage.git('status', '--porcelain')).toBe('');
  });

  it('keeps and reports work that conflicts with what came back before', async () => {
    const implementer = "write('a.txt', prompt.match(/t\\d/)[0] + '\\n')";
    const { ended, slots } = await stage.run(
      { implementer },
      { source: listed([task('t1'), task('t2')]), settings: { parallel: 2 } },
    );
    expect(ended).toBe('failed');
    const failed = slots.filter(({ status }) => status === 'failed');
    expect(failed).toMatchObject([{ failure: 'not_brought_back', reason: expect.stringContaining('conflicts') }]);
    expect(stage.git('status', '--porcelain')).toBe('');
    expect(stage.git('branch', '--list', 'fixpoint/loop/*')).toContain('fixpoint/loop/');
  });

  it('does not touch uncommitted changes of the user that are in the way', async () => {
    writeFileSync(join(stage.root, 'a.txt'), 'mine\n');
    const { slots } = await stage.run({});
    expect(slots).toMatchObject([{ failure: 'not_brought_back', reason: expect.stringContaining('uncommitted') }]);
    expect(readFileSync(join(stage.root, 'a.txt'), 'utf8')).toBe('mine\n');
  });

  it('ends every agent when it is stopped, and throws only then', async () => {
    const stop = new AbortController();
    const implementer =
      "write(process.cwd() + '/pid', String(process.pid)); await new Promise(() => setTimeout(() => {}, 60_000))";
    const running = stage.run(
      { implementer },
      { signal: stop.signal, source: listed([task('t1'), task('t2')]), settings: { parallel: 2 } },
    );
    const trees = join(stage.root, '.fixpoint', 'loop', 'trees');
    const pids = (): readonly string[] =>
      existsSync(trees)
        ? readdirSync(trees)
            .map((name) => join(trees, name, 'pid'))
            .filter((path) => existsSync(path))
            .map((path) => readFileSync(path, 'utf8'))
        : [];
    await expect.poll(() => pids().filter((pid) => pid !== '').length, { timeout: 10_000 }).toBe(2);
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    const isThere = (): readonly boolean[] => pids().map((pid) => existsSync(`/proc/${pid}/cwd`));
    await expect.poll(isThere, { timeout: 5_000 }).toEqual([false, false]);
  });

  it('waits and gives the task again where every agent that failed is asked to come back later', async () => {
    const implementer = "if (run === 0) { say('retry_after: 1'); process.exitCode = 1; } else append('a.txt', 'x')";
    const { ended, slots, states } = await stage.run({ implementer });
    expect(slots.map(({ status }) => status)).toEqual(['failed', 'passed']);
    expect(ended).toBe('no_tasks');
    expect(states.some(({ paused }) => paused?.startsWith('waits 1 s') === true)).toBe(true);
  });

  it('does not wait for ever: after three times in a row it has failed', async () => {
    const implementer = "say('retry-after: 0'); process.exitCode = 1";
    const { ended, slots } = await stage.run({ implementer });
    expect([ended, slots.length]).toEqual(['failed', 4]);
  });

  it('does not wait for an agent that broke the contract, nor longer than an hour', async () => {
    const reviewer = "say('retry-after: 0')";
    expect((await stage.run({ reviewer })).slots).toHaveLength(1);
    const implementer = "say('retry-after: 3601'); process.exitCode = 1";
    expect((await stage.run({ implementer })).slots).toHaveLength(1);
  });

  it('writes one log file per run of an agent', async () => {
    await stage.run({ reviewer: DRIFT_THEN_PASS, fixer: "write('fixed.txt', 'x')" });
    const logs = join(stage.root, '.fixpoint', 'loop', 'logs', 'r1-1-1');
    expect(readdirSync(logs)).toEqual(['01-implementer.log', '02-reviewer.log', '03-fixer.log', '04-reviewer.log']);
    expect(readFileSync(join(logs, '04-reviewer.log'), 'utf8')).toContain('"pass"');
  });
});
