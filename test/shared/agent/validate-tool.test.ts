import { describe, expect, it } from 'vitest';
import { runCalls, type ToolRun } from '../../../shared/agent/run-tools.ts';
import { createValidateTool, MAX_VALIDATE_USES, type Trial, trialText } from '../../../shared/agent/tools/validate.ts';
import { TOOL_LIMITS } from '../../../shared/agent/tool-limits.ts';
import type { ValidationResult } from '../../../shared/rounds/model/validations.ts';
import { never } from '../workspace/repository.ts';

const result = (name: string, patch: Partial<ValidationResult> = {}): ValidationResult => ({
  name,
  result: 'passed',
  durationMs: 1_240,
  output: '',
  ...patch,
});

const passes: Trial = { kind: 'validated', results: [result('tests')] };

const toolOf = (run: () => Promise<Trial>, timeoutMs = 60_000) => createValidateTool({ run, timeoutMs });

describe('what the commands say', () => {
  it('has every result before any output, and the end of each output', () => {
    const results = [
      result('types'),
      result('tests', { result: 'failed', output: 'types: passed' }),
      result('lint', { result: 'not_run', durationMs: 0, output: 'There is no such program.' }),
    ];
    expect(trialText(results)).toBe(
      'types: passed (1.2 s)\ntests: FAILED (1.2 s)\nlint: could not run (0.0 s)\n\n' +
        'End of the output of tests:\ntypes: passed\n\nEnd of the output of lint:\nThere is no such program.',
    );
  });

  it('fits into one result, however many commands print however much', () => {
    const output = `${'x'.repeat(3_990)}the end`.slice(-4_000);
    const results = Array.from({ length: 20 }, (_, index) => result(`${index}`.padEnd(100, 'n'), { output }));
    const text = trialText(results);
    expect(text.length).toBeLessThanOrEqual(TOOL_LIMITS.resultCharacters);
    expect(text.match(/the end/g)).toHaveLength(20);
  });
});

describe('the tool', () => {
  it('takes no argument, and says that it ignores one', async () => {
    expect(await toolOf(async () => passes).execute({ command: 'id' }, never())).toMatchObject({
      kind: 'text',
      text: expect.stringMatching(/\n\[ignored: command]$/),
    });
  });

  it('is used up after a few times', async () => {
    let runs = 0;
    const tool = toolOf(async () => {
      runs += 1;
      return passes;
    });
    for (let use = 0; use < MAX_VALIDATE_USES; use += 1)
      expect(await tool.execute({}, never())).toMatchObject({ kind: 'text' });
    expect(await tool.execute({}, never())).toEqual({ kind: 'failed', text: 'the limit of 5 calls is reached' });
    expect(runs).toBe(5);
  });

  it('runs once at a time, and again after it has broken', async () => {
    let calls = 0;
    let fail = (_error: Error): void => {};
    const broken = new Promise<Trial>((_resolve, reject) => {
      fail = reject;
    });
    const tool = toolOf(async () => ((calls += 1) === 1 ? broken : passes));
    const first = tool.execute({}, never());
    expect(await tool.execute({}, never())).toEqual({
      kind: 'failed',
      text: 'Validate is already running; wait for its result',
    });
    fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    expect(await tool.execute({}, never())).toMatchObject({ kind: 'text' });
  });

  it('says why nothing was run', async () => {
    expect(await toolOf(async () => ({ kind: 'refused', reason: 'too large' })).execute({}, never())).toEqual({
      kind: 'failed',
      text: 'too large',
    });
  });

  it('has a time limit of its own instead of the one of every tool', async () => {
    const tool = createValidateTool({
      timeoutMs: 5,
      run: async (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    });
    const broken: string[] = [];
    const run: ToolRun = {
      tools: [tool],
      accepted: ['Validate'],
      boundary: '0123456789abcdef',
      present: async (_tool, shown) => shown,
      onBroken: (name) => void broken.push(name),
    };
    const calls = [{ kind: 'tool_call' as const, id: 'a', name: 'Validate', input: {} }];
    expect(await runCalls(calls, run, never())).toEqual([{ kind: 'failed', text: 'the tool timed out' }]);
    expect(broken).toEqual(['Validate']);
  });
});
