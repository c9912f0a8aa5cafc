import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveAgent } from '../../../services/slots/live-state.ts';
import type { Task } from '../../../services/slots/task/task.ts';
import type { TaskSource } from '../../../services/slots/task/task-source.ts';
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

  it('is not told to be unchanged where nobody could see its tree, and says so', async () => {
    const agents = { implementer: "sh('git init -q empty')", reviewer: "verdict('drift', 'do it')" };
    const { slots, states } = await stage.run(agents, { settings: { reviewMaxFixAttempts: 1 } });
    expect(slots).toMatchObject([{ failure: 'drift_unresolved', fixAttempts: 1 }]);
    const notices = states.map(({ notice }) => notice);
    expect(notices).toContain('slot 1: cannot tell whether the reviewer changed files');
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

describe('the time limit', () => {
  const SLOW = 'await new Promise(() => setTimeout(() => {}, 60_000))';

  it.each([
    ['reviewer', 'reviewer_failed', { reviewer: SLOW }],
    ['fixer', 'fixer_failed', { reviewer: "verdict('drift', 'x')", fixer: SLOW }],
  ] as const)('holds for a %s too', async (role, failure, agents) => {
    const { ended, slots } = await stage.run(agents, { settings: { agentTimeout: 1 } });
    const reason = expect.stringMatching(`^the ${role} failed: took longer than 1 s`);
    expect([ended, slots]).toMatchObject(['failed', [{ failure, reason }]]);
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
    expect(prompt.match(/\[cut: only the first 50000 of 60\d{3} characters/g)).toHaveLength(2);
    expect(prompt.length).toBeLessThan(110_000);
  });

  it('whether others work beside it', async () => {
    const source = listed([task('t1'), task('t2')], []);
    await stage.run({}, { source, settings: { parallel: 2 } });
    expect(stage.prompts('reviewer')[0]).toContain('2 agents work in parallel');
  });
});

describe('event streams', () => {
  const sayStream = (stream: string): string => `say(${JSON.stringify(stream)})`;
  const pass = '{"verdict": "pass", "followUpPrompt": "fine"}';
  const drift = '{"verdict": "drift", "followUpPrompt": "write fixed.txt"}';

  it.each([
    ['claude', claudeStream, 4 * 1_230],
    ['codex', codexStream, 2 * 1_230 + 2 * 900],
  ] as const)('of %s give their verdicts, and every review and fix counts in the totals', async (_, stream, tokens) => {
    const answers = [drift, pass].map((answer) => sayStream(stream({ words: ['It has { braces }.', answer] })));
    const { slots, states } = await stage.run({
      implementer: sayStream(claudeStream({ words: ['done'] })),
      reviewer: `if (run === 0) ${answers.join('; else ')}`,
      fixer: `write('fixed.txt', 'x'); ${sayStream(claudeStream({ words: ['wrote it'] }))}`,
    });
    expect(slots).toMatchObject([{ status: 'passed', fixAttempts: 1 }]);
    expect(states.at(-1)?.usage.inputTokens).toBe(tokens);
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

  it('fails where that implementer exits with another code, and keeps its tree', async () => {
    const implementer = `${STOP}; append('a.txt', 'half\\n'); process.exitCode = 1`;
    const { ended, slots } = await stage.run({ implementer }, { source: nobodyKnows });
    const reason = expect.stringMatching(/exit code 1; the work is kept in .*r1-1-1$/);
    expect([ended, slots]).toMatchObject(['failed', [{ status: 'failed', failure: 'implementer_failed', reason }]]);
    const kept = join(stage.root, '.fixpoint', 'loop', 'trees', 'r1-1-1', 'a.txt');
    expect(readFileSync(kept, 'utf8')).toBe('one\nhalf\n');
  });

  it('brings back what that implementer did before it said the marker', async () => {
    const implementer = `append('a.txt', 'more\\n'); sh('git commit -qam mine'); write('b.txt', 'x'); ${STOP}`;
    const { ended, slots } = await stage.run({ implementer }, { source: nobodyKnows });
    expect([ended, slots]).toMatchObject(['stop_marker', [{ task: null, status: 'unreviewed', failure: null }]]);
    expect(stage.git('log', '--format=%s')).toBe('Task chosen by the agent\nmine\nbegin');
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

  it('brings the work back to the branch on which it began, whatever is checked out by then', async () => {
    const elsewhere = `sh('git -C ' + JSON.stringify(${JSON.stringify(stage.root)}) + ' checkout -q -b other')`;
    const { ended, slots } = await stage.run({ implementer: `${elsewhere}; append('a.txt', 'more\\n')` });
    expect([ended, slots]).toMatchObject(['no_tasks', [{ status: 'passed', reason: null }]]);
    const subjects = ['main', 'other'].map((branch) => stage.git('log', '--format=%s', branch));
    expect([...subjects, stage.git('branch', '--show-current')]).toEqual(['Say more\nbegin', 'begin', 'other']);
  });

  it('touches nothing of the user where an agent made an end of its tree, and says where that is', async () => {
    writeFileSync(join(stage.root, 'mine.txt'), 'x');
    const { slots } = await stage.run({ implementer: "sh('rm .git')" }, { settings: { reviewEnabled: false } });
    const reason = expect.stringMatching(/^the folder is no longer a worktree .*; the work is in .*r1-1-1$/);
    expect(slots).toMatchObject([{ status: 'failed', failure: 'not_brought_back', reason }]);
    expect([stage.git('status', '--porcelain'), stage.git('log', '--format=%s')]).toEqual(['?? mine.txt', 'begin']);
  });

  it('says where the work is when a hook of the user refuses it', async () => {
    const hook = join(stage.root, '.git', 'hooks', 'pre-commit');
    writeFileSync(hook, '#!/bin/sh\necho too long >&2\nexit 1\n', { mode: 0o755 });
    const { slots } = await stage.run({});
    const reason = expect.stringMatching(/^git commit failed: too long; the work is in .*r1-1-1/);
    expect(slots).toMatchObject([{ status: 'failed', failure: 'not_brought_back', reason }]);
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

  it('writes one log file per run of an agent', async () => {
    await stage.run({ reviewer: DRIFT_THEN_PASS, fixer: "write('fixed.txt', 'x')" });
    const logs = join(stage.root, '.fixpoint', 'loop', 'logs', 'r1-1-1');
    expect(readdirSync(logs)).toEqual(['01-implementer.log', '02-reviewer.log', '03-fixer.log', '04-reviewer.log']);
    expect(readFileSync(join(logs, '04-reviewer.log'), 'utf8')).toContain('"pass"');
  });
});
