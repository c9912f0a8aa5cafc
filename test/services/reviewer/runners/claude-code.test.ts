/** The Claude Code CLI as the reviewer, against a stand-in that writes down how it was called and does as it is told. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunnerDraft, RunnerResult } from '../../../../services/reviewer/run/runner.ts';
import { REVIEWER_PERMISSIONS } from '../../../../services/reviewer/runners/claude-code/permissions.ts';
import { maxCliTurns } from '../../../../shared/claude-code/run-session.ts';
import { cliSettings } from '../../../../shared/claude-code/invocation.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { ACCOUNT } from '../../../shared/agent/agent-run.ts';
import type { StandInStep } from '../../../support/claude-stand-in.ts';
import { createReviewWorld, type Files, type ReviewWorld, textOf, thread } from '../review-world.ts';
import type { Range } from './agent-runner-stage.ts';
import { type ClaudeStage, claudeStage, MODEL_KEY } from './claude-code-stage.ts';

const TOKEN = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

const FINDING = {
  path: 'a.js',
  line: 1,
  severity: 'P1',
  title: 'The sum is wrong',
  body: 'It subtracts.',
  evidence: 'export const sum = (a, b) => a - b;',
};
const REVIEW = { summary: 'Sums.', findings: [FINDING], not_reviewed: [], notes: '## Callers\nnone' };
const handIn = (review: unknown = REVIEW): StandInStep => ({ does: 'hand_in', review });

let world: ReviewWorld;
let plain: Range;
beforeAll(() => {
  world = createReviewWorld();
  plain = { base: world.commit({ 'README.md': '# Shop\n' }), head: world.commit({ 'a.js': textOf(FINDING.evidence) }) };
});
afterAll(() => world.dispose());

let stage: ClaudeStage;
const begin = async (steps: readonly StandInStep[], limits = {}): Promise<ClaudeStage> => {
  stage = await claudeStage(world, steps, limits);
  return stage;
};
afterEach(async () => stage.dispose());

const change = (files: Files): Range => ({ base: plain.base, head: world.commit(files) });

const draftIn = (result: RunnerResult): RunnerDraft => {
  if (result.kind !== 'draft') throw new Error(`no draft: ${JSON.stringify(result)}`);
  return result.draft;
};

describe('a review', () => {
  it('L5: starts the named program in a checkout, with nothing of the service or the workspace around it', async () => {
    const { run, cli, leftovers } = await begin([handIn()]);
    process.env['FIXPOINT_TEST_CANARY'] = 'canary';
    const settings = JSON.stringify({
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch hooked' }] }] },
    });
    const range = change({
      'a.js': textOf(FINDING.evidence),
      claude: '#!/bin/sh\n',
      '.claude/settings.json': settings,
    });
    draftIn(await run(range));
    delete process.env['FIXPOINT_TEST_CANARY'];
    const [call] = cli.calls();
    expect(call?.env['ANTHROPIC_BASE_URL']).toBe('http://127.0.0.1:1');
    expect(call?.env['ANTHROPIC_API_KEY']).toBe(MODEL_KEY);
    expect(Object.keys(call?.env ?? {}).toSorted()).toEqual(
      [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_BASE_URL',
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
        'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
        'CLAUDE_CODE_MAX_RETRIES',
        'CLAUDE_CODE_SAFE_MODE',
        'CLAUDE_CONFIG_DIR',
        'DISABLE_AUTOUPDATER',
        'DISABLE_TELEMETRY',
        'HOME',
        'LANG',
        'PATH',
        'TMPDIR',
      ].toSorted(),
    );
    expect(call?.home).toEqual(['settings.json', 'tmp']);
    expect(call?.settings).toEqual(cliSettings(REVIEWER_PERMISSIONS));
    expect(call?.argv.slice(call.argv.indexOf('--setting-sources')).slice(0, 3)).toEqual([
      '--setting-sources',
      '',
      '--strict-mcp-config',
    ]);
    expect(Object.keys(call?.tree ?? {}).toSorted()).toEqual(['.claude/settings.json', 'README.md', 'a.js', 'claude']);
    expect(call?.argv.join(' ')).not.toContain(MODEL_KEY);
    expect(await leftovers()).toEqual([]);
  });

  it('takes the boundary of the prompt into nothing that is kept or posted', async () => {
    const boundary = 'c0ffee'.repeat(5);
    const review = { ...REVIEW, summary: `I read ${boundary}.`, notes: `See ${boundary.toUpperCase()}.` };
    const wish = { deps: { boundaryOf: () => boundary } };
    const { run, cli, notes } = await begin([handIn(review), handIn(REVIEW)]);
    expect(draftIn(await run(plain, wish))).toMatchObject({ summary: 'I read [redacted].', boundaries: [boundary] });
    // Another execution of the run takes what is kept.
    expect(draftIn(await run(plain, wish))).toMatchObject({ summary: 'I read [redacted].', boundaries: [boundary] });
    expect(cli.calls()).toHaveLength(1);
    expect(cli.calls()[0]?.stdin).toContain(`<data-${boundary} diff>`);
    expect(notes).toEqual(['See [redacted].']);
  });

  it('is told which files of the commit the checkout lacks', async () => {
    const { run, cli } = await begin([handIn(), handIn()]);
    await run(change({ 'a.js': textOf(FINDING.evidence), 'data.json': `[${'1,'.repeat(2_700_000)}1]\n` }));
    expect(cli.calls()[0]?.stdin).toContain('Grep finds nothing in the others (not searched: 1 file (1: too large)');
    world.commit({ 'data.json': null });
  });

  it('may read and search below the workspace alone, and not what the service itself could read', async () => {
    const { run, cli } = await begin([handIn()]);
    await run(plain);
    const [call] = cli.calls();
    expect(call?.argv[call.argv.indexOf('--tools') + 1]).toBe('Read,Grep');
    expect(call?.settings).toMatchObject({
      permissions: {
        allow: ['Read(./**)'],
        deny: ['Read(~/**)', 'Read(//proc/**)', 'Read(//sys/**)', 'Read(//dev/**)'],
      },
    });
  });

  it('asks as the other runners do, and merges what is handed in with what the rules find', async () => {
    const { run, cli, notes } = await begin([handIn()]);
    const draft = draftIn(await run(change({ 'a.js': textOf(FINDING.evidence), 'b.js': 'eval(location.hash);\n' })));
    expect(draft.findings.map(({ path, rule }) => [path, rule !== null])).toEqual([
      ['b.js', true],
      ['a.js', false],
    ]);
    expect(draft).toMatchObject({ summary: 'Sums.', exceeded: null, omitted: [] });
    expect(notes).toEqual(['## Callers\nnone']);
    const [call] = cli.calls();
    expect(call?.stdin).toContain('export const sum');
    expect(call?.stdin).toContain('This is review 1.');
  });

  it('shows the CLI no secret and no hidden character, neither in the prompt nor in the tree', async () => {
    const { run, cli } = await begin([handIn({ ...REVIEW, findings: [] })]);
    const hidden = `const a = 1; //\u202e ${MODEL_KEY}\n`;
    await run(change({ 'a.js': `const key = '${TOKEN}';\n`, 'b.js': hidden }));
    const [call] = cli.calls();
    expect(`${call?.stdin}${JSON.stringify(call?.tree)}`).not.toMatch(new RegExp(`${TOKEN}|${MODEL_KEY}|\u202e`));
    expect(call?.tree['a.js']).toContain('[redacted]');
    expect(call?.tree['b.js']).toContain('[U+202E]');
  });

  it('takes a review that was said as text, and repairs its JSON', async () => {
    const text = `\`\`\`json\n${JSON.stringify(REVIEW).replace('}]', '},]')}\n\`\`\``;
    const { run } = await begin([{ does: 'say', text }]);
    expect(draftIn(await run(plain)).findings.map(({ title }) => title)).toEqual([FINDING.title]);
  });
});

describe('corrections', () => {
  it('are asked for in the same conversation, and what is right then counts', async () => {
    const wrong = { ...REVIEW, findings: [{ ...FINDING, evidence: 'not in the file' }] };
    const { run, cli } = await begin([handIn(wrong), handIn()]);
    const draft = draftIn(await run(plain));
    expect(draft.findings.map(({ evidence }) => evidence)).toEqual([FINDING.evidence]);
    const [first, second] = cli.calls();
    expect(second?.stdin).toContain('evidence: this text is not in ');
    expect(second?.argv[second.argv.indexOf('--resume') + 1]).toBe(first?.argv[first.argv.indexOf('--session-id') + 1]);
    expect(draft.spent).toMatchObject({ modelCalls: 2, turns: 2, inputTokens: 2000, outputTokens: 200 });
  });

  it('F-W4: are asked for in part, and what was good is kept', async () => {
    const title = 'The names are wrong';
    const wrong = { ...FINDING, title, body: 'They say nothing.', evidence: 'not in the file' };
    const { run, cli } = await begin([
      handIn({ ...REVIEW, findings: [FINDING, wrong] }),
      handIn({ ...REVIEW, findings: [{ ...wrong, evidence: FINDING.evidence }] }),
    ]);
    expect(draftIn(await run(plain)).findings.map((each) => each.title)).toEqual([FINDING.title, title]);
    expect(cli.calls()[1]?.stdin).toContain('Everything else is kept. Submit only the corrected entries');
  });

  it.each<[what: string, steps: readonly StandInStep[], result: RunnerResult]>([
    [
      'text that is no review',
      [{ does: 'say', text: 'Looks good to me!' }],
      { kind: 'failed', code: 'MODEL_OUTPUT_UNREADABLE', rawText: 'Looks good to me!' },
    ],
  ])('end after two of %s as a failed attempt', async (_, steps, result) => {
    const { run, cli } = await begin(steps);
    expect(await run(plain)).toEqual(result);
    expect(cli.calls()).toHaveLength(3);
  });

  it('ask for another answer instead of one for no thread, and then take the rest of the review', async () => {
    const answers = { 'F-009': { action: 'resolve' } };
    const { run, cli } = await begin([handIn({ ...REVIEW, findings: [FINDING], answers })]);
    expect(draftIn(await run(plain)).findings).toHaveLength(1);
    expect(cli.calls()[1]?.stdin).toContain('F-009 is not an open thread');
    expect(cli.calls()).toHaveLength(3);
  });

  it('that do not help leave the rest of a review, with its claims unverified', async () => {
    const { run } = await begin([handIn({ ...REVIEW, findings: [{ ...FINDING, evidence: 'nowhere' }] })]);
    expect(draftIn(await run(plain)).findings).toHaveLength(1);
  });

  it('demand an answer for every open thread', async () => {
    const answers = { 'F-001': { stance: 'accepts', action: 'resolve', body: 'Fixed.' } };
    const { run, cli } = await begin([
      handIn({ ...REVIEW, findings: [] }),
      handIn({ ...REVIEW, findings: [], answers }),
    ]);
    const range = plain;
    const open = { ...thread('README.md', 1, range.base), answered: true as const };
    const draft = draftIn(await run(range, { request: { openThreads: [open] } }));
    expect(draft.answers.map(({ findingId, action }) => [findingId, action])).toEqual([['F-001', 'resolve']]);
    expect(cli.calls()[1]?.stdin).toContain('F-001 has no action');
  });
});

describe('a CLI that does not do what it should', () => {
  it.each<[what: string, step: StandInStep, code: string]>([
    ['ends with another status and no result', { does: 'exit', code: 3 }, 'CLAUDE_CODE_BROKE'],
    ['prints garbage', { does: 'exit', code: 0, stdout: '{"type":"result"\n\u0000\u0001garbage' }, 'CLAUDE_CODE_BROKE'],
    ['says that it failed', { does: 'end', subtype: 'error_during_execution' }, 'CLAUDE_CODE_FAILED'],
    ['is not let in', { does: 'end', subtype: 'success', apiStatus: 401 }, 'MODEL_UNAUTHORISED'],
    ['asks for what there is not', { does: 'end', subtype: 'success', apiStatus: 404 }, 'MODEL_REQUEST_REFUSED'],
    ['will not look at it', { does: 'end', subtype: 'success', stopReason: 'refusal' }, 'MODEL_REFUSED'],
  ])('and %s makes a failed attempt', async (_, step, code) => {
    const { run, cli, leftovers } = await begin([step]);
    expect(await run(plain)).toEqual({ kind: 'failed', code, rawText: null });
    expect(cli.calls()).toHaveLength(1);
    expect(await leftovers()).toEqual([]);
  });

  it.each<[what: string, step: StandInStep]>([
    ['413', { does: 'end', subtype: 'success', apiStatus: 413 }],
    ['400 with words', { does: 'end', subtype: 'success', apiStatus: 400, said: 'Prompt is too long' }],
  ])('F-C11: and whose request is too long (%s) leaves the rules alone to speak', async (_, step) => {
    const { run } = await begin([step]);
    expect(await run(plain)).toMatchObject({ kind: 'draft', draft: { exceeded: { budget: 'context' } } });
  });

  it.each([
    [429, 'MODEL_RATE_LIMITED'],
    [500, 'MODEL_UNAVAILABLE'],
    [529, 'MODEL_OVERLOADED'],
  ])('because of a status of %d is tried again later', async (apiStatus, code) => {
    const { run } = await begin([{ does: 'end', subtype: 'success', apiStatus }]);
    await expect(run(plain)).rejects.toMatchObject({ code, disposition: { kind: 'retry' } });
  });

  it('and is not there is a fault of the installation', async () => {
    const { run } = await begin([handIn()]);
    const missing = run(plain, { deps: { program: '/nowhere/claude' } });
    await expect(missing).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' });
  });

  it('and floods is killed, without the flood in memory', async () => {
    const { run } = await begin([{ does: 'flood' }]);
    expect(await run(plain)).toEqual({ kind: 'failed', code: 'CLAUDE_CODE_BROKE', rawText: null });
  });

  it('and hangs is killed with everything that it started when its time is over', async () => {
    const { run, cli, leftovers } = await begin([{ does: 'hang' }]);
    const draft = draftIn(await run(plain, { scope: { maxRuntimeS: 2 } }));
    expect(draft.exceeded).toEqual({ budget: 'wall', scope: 'run', limit: 2000 });
    await expectGone(cli.pids());
    expect(await leftovers()).toEqual([]);
  });

  it('is killed when the run is superseded, or its worker leaves', async () => {
    const { run, cli } = await begin([{ does: 'hang' }]);
    const range = plain;
    const hung = async (): Promise<boolean> => cli.pids().length >= 2;
    expect(await run(range, { scope: { isSuperseded: hung } })).toEqual({ kind: 'superseded' });
    await expectGone(cli.pids());
    const leaving = new AbortController();
    const left = run(range, { id: 'two', signal: leaving.signal, scope: { isSuperseded: async () => leave() } });
    const leave = (): boolean => {
      if (cli.pids().length >= 4) leaving.abort(new Error('leaving'));
      return false;
    };
    await expect(left).rejects.toThrow('leaving');
    await expectGone(cli.pids());
  });
});

/** Whoever is only still listed, because nobody has asked for its end, is dead. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const expectGone = async (pids: readonly number[]): Promise<void> => {
  expect(pids.length).toBeGreaterThanOrEqual(2);
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
};

describe('turns', () => {
  it('that run out leave one last call without tools', async () => {
    const { run, cli } = await begin([{ does: 'end', subtype: 'error_max_turns' }, handIn()]);
    expect(draftIn(await run(plain, { scope: { maxTurns: 5 } })).exceeded).toBeNull();
    const [first, last] = cli.calls();
    expect(first?.argv[first.argv.indexOf('--max-turns') + 1]).toBe('5');
    expect(last?.argv[last.argv.indexOf('--tools') + 1]).toBe('');
    expect(last?.stdin).toContain('The turns are used up.');
  });

  it('that run out in the last call too end the review without a verdict, with what the rules found', async () => {
    const { run, cli } = await begin([{ does: 'end', subtype: 'error_max_turns' }]);
    const draft = draftIn(await run(change({ 'b.js': 'eval(location.hash);\n' })));
    expect(draft.exceeded).toEqual({ budget: 'turns', scope: 'run', limit: 8 });
    expect(draft.findings.map(({ path }) => path)).toContain('b.js');
    expect(draft.findings.every(({ rule }) => rule !== null)).toBe(true);
    expect(cli.calls()).toHaveLength(2);
  });

  it('never add up to more than is told beforehand', async () => {
    const { run, cli } = await begin([{ does: 'say', text: 'no' }]);
    await run(plain);
    const allowed = cli.calls().map(({ argv }) => Number(argv[argv.indexOf('--max-turns') + 1]));
    const told = maxCliTurns({ maxTurns: 8, maxCorrections: 2, hasLastCall: true });
    expect(allowed.reduce((sum, turns) => sum + turns, 0)).toBeLessThanOrEqual(told);
  });
});

describe('budgets', () => {
  const spentOf = async () => stage.ledger.spent('run', ACCOUNT);

  it('hold exactly what was used at the end, the calls beside the conversation too', async () => {
    const calls = [
      { input: 1000, output: 100 },
      { input: 3000, output: 200 },
    ];
    const { run } = await begin([{ ...handIn(), calls, beside: { input: 500, output: 50, costUsd: 0.001 } }]);
    const { spent } = draftIn(await run(plain));
    // 2 and 10 dollars per million tokens.
    expect(await spentOf()).toEqual({ tokens: 4850, microUsd: 8_000 + 3_000 + 1_000 });
    expect(spent).toMatchObject({ turns: 2, modelCalls: 2, outputTokens: 300, costUsd: 0.012 });
    expect(spent.inputTokens + spent.outputTokens).toBe(4850);
  });

  it('of a subscription count tokens and turns, but no money, and the CLI gets its token instead of the key', async () => {
    const token = ['oauth', 'token', 'of', 'nobody', '0123456789'].join('-');
    const access = { apiKey: '', baseUrl: 'http://127.0.0.1:1', subscription: token };
    const { run, cli } = await begin([
      { ...handIn(), calls: [{ input: 1000, output: 100 }], beside: { input: 500, output: 50, costUsd: 0.001 } },
    ]);
    const { spent } = draftIn(await run(plain, { deps: { access, runUsd: null, redact: createRedactor([token]) } }));
    expect(spent).toMatchObject({ turns: 1, modelCalls: 1, costUsd: 0, subscription: true });
    expect(await spentOf()).toEqual({ tokens: 1650, microUsd: 0 });
    const [call] = cli.calls();
    expect(call?.env).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: token });
    expect(Object.keys(call?.env ?? {})).not.toContain('ANTHROPIC_API_KEY');
    expect(call?.argv).not.toContain('--max-budget-usd');
  });

  it('that hold no call let none begin', async () => {
    const { run, cli } = await begin([handIn()], { run: { tokens: 10_000, microUsd: 1_000_000 } });
    const draft = draftIn(await run(plain));
    expect(draft.exceeded).toEqual({ budget: 'tokens', scope: 'run', limit: 10_000 });
    expect(cli.calls()).toEqual([]);
    expect(await spentOf()).toEqual({ tokens: 0, microUsd: 0 });
  });

  it('that are used up in the middle end the CLI', async () => {
    const calls = Array.from({ length: 20 }, () => ({ input: 50_000, output: 1000 }));
    const { run } = await begin([{ does: 'hang', calls }], { day: { tokens: 300_000, microUsd: 5_000_000 } });
    const draft = draftIn(await run(plain));
    expect(draft.exceeded).toEqual({ budget: 'tokens', scope: 'day', limit: 300_000 });
    expect((await spentOf()).tokens).toBeLessThanOrEqual(300_000);
    await expect.poll(() => stage.cli.pids().filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  it('are asked for the next call before it begins', async () => {
    const calls = [{ input: 150_000, output: 1000 }];
    const { run } = await begin([{ does: 'hang', calls }], { day: { tokens: 250_000, microUsd: 5_000_000 } });
    const draft = draftIn(await run(plain, { scope: { maxRuntimeS: 20 } }));
    expect(draft.exceeded).toEqual({ budget: 'tokens', scope: 'day', limit: 250_000 });
    expect(await spentOf()).toMatchObject({ tokens: 151_000 });
  });

  it('keep the worst of a call that nobody saw the end of', async () => {
    const { run } = await begin([{ does: 'exit', code: 1, calls: [] }]);
    await run(plain);
    expect((await spentOf()).tokens).toBeGreaterThan(16_384);
  });
});

describe('the conversation', () => {
  it('goes on in the next round where its file still exists', async () => {
    const { run, cli } = await begin([handIn({ ...REVIEW, findings: [] })]);
    const range = plain;
    await run(range, { id: 'one' });
    await run(range, { id: 'two', notes: 'noted before' });
    const [first, second] = cli.calls();
    const id = first?.argv[first.argv.indexOf('--session-id') + 1];
    expect(second?.argv[second.argv.indexOf('--resume') + 1]).toBe(id);
    expect(second?.home).toContain(`.claude/projects/${second?.cwd.replaceAll(/[^A-Za-z0-9]/g, '-')}/${id}.jsonl`);
    expect(second?.stdin).not.toContain('noted before');
  });

  it('begins anew with the notes where the file is lost, or the CLI does not know it', async () => {
    const { run, cli, loseSession } = await begin([handIn({ ...REVIEW, findings: [] })]);
    const range = plain;
    await run(range, { id: 'one' });
    await loseSession();
    await run(range, { id: 'two', notes: 'noted before' });
    expect(cli.calls()[1]?.argv).not.toContain('--resume');
    expect(cli.calls()[1]?.stdin).toContain('noted before');

    await cli.plan([handIn(), handIn(), { does: 'exit', code: 1 }, handIn({ ...REVIEW, findings: [] })]);
    draftIn(await run(range, { id: 'three', notes: 'noted later' }));
    const [, , lost, anew] = cli.calls();
    expect(lost?.argv).toContain('--resume');
    expect(anew?.argv).toContain('--session-id');
    expect(anew?.stdin).toContain('noted later');
  });

  it('is not held again by another execution of the same run', async () => {
    const { run, cli } = await begin([handIn()]);
    const range = plain;
    const one = draftIn(await run(range));
    expect(draftIn(await run(range))).toEqual(one);
    expect(cli.calls()).toHaveLength(1);
  });
});
