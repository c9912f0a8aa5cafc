import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentCommand, type AgentRole } from '../../../../services/slots/agent/agent-commands.ts';
import { loadSettings } from '../../../../services/slots/settings/load-settings.ts';
import type { LoopSettings } from '../../../../services/slots/settings/settings.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-loop-'));
  for (const path of ['home/fixpoint', 'project/.fixpoint']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const project = (): string => join(folder, 'project');
const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
const load = (flags: Readonly<Record<string, unknown>> = {}): LoopSettings =>
  loadSettings({ flags, project: project(), configHome: join(folder, 'home') });
const problems = (flags: Readonly<Record<string, unknown>> = {}): string => {
  try {
    load(flags);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('settings', () => {
  it('have the defaults of the seed, but that nothing runs without asking until somebody says so', () => {
    expect(load()).toEqual({
      yolo: false,
      reviewEnabled: false,
      reviewMaxFixAttempts: 5,
      developerPromptPath: '',
      reviewerPromptPath: '',
      iterations: 50,
      parallel: 1,
      developer: { provider: 'codex', model: '', command: [] },
      reviewer: { provider: 'codex', model: '', command: [] },
      stopMarkers: ['no_beads_available'],
      stopWhenNotConverging: true,
      promptPath: '',
      reasoningEffort: null,
      pauseMs: 0,
      preview: 3,
      agentTimeout: 3_600,
      logDir: '',
      view: 'auto',
      theme: 'default',
      showRaw: false,
      taskSource: 'auto',
      taskMode: 'auto',
      topLevelTask: '',
    });
  });

  it('are taken from flags before the project before the user', () => {
    write('home/fixpoint/loop.toml', 'reviewMaxFixAttempts = 1\nparallel = 2\nmodel = "user"\nreviewEnabled = true\n');
    write('project/.fixpoint/loop.toml', 'parallel = 3\nmodel = "project"\n');
    const { reviewMaxFixAttempts, parallel, developer, reviewEnabled } = load({ model: 'flag', iterations: undefined });
    expect([reviewMaxFixAttempts, parallel, developer.model, reviewEnabled]).toEqual([1, 3, 'flag', true]);
    expect(load({ reviewEnabled: false }).reviewEnabled).toBe(false);
  });

  it('take blanks for not given', () => {
    write('home/fixpoint/loop.toml', 'model = "user"\n');
    write('project/.fixpoint/loop.toml', 'model = "  "\ncommand = ""\nstopMarkers = []\n');
    expect(load()).toMatchObject({ developer: { model: 'user', command: [] }, stopMarkers: ['no_beads_available'] });
  });

  it.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['is all that is ready', {}, ['auto', '']],
    ['is what lies below a task that is named, without the mode', { topLevelTask: 'fx-1' }, ['top-level', 'fx-1']],
    ['is that with the mode too', { taskMode: 'top-level', topLevelTask: 'fx-1' }, ['top-level', 'fx-1']],
    ['is all again where a flag says so', { taskMode: 'auto', topLevelTask: 'fx-1' }, ['auto', '']],
  ])('have a scope that %s', (_, flags, expected) => {
    const { taskMode, topLevelTask } = load(flags);
    expect([taskMode, topLevelTask]).toEqual(expected);
  });

  it('may all stand in a file', () => {
    write(
      'project/.fixpoint/loop.toml',
      'taskMode = "top-level"\ntopLevelTask = "fx-1"\ntaskSource = "bd"\ntheme = "mono"\nshowRaw = true\npromptPath = "p.md"\n',
    );
    expect(load()).toMatchObject({ taskMode: 'top-level', topLevelTask: 'fx-1', taskSource: 'bd', theme: 'mono' });
    expect(load({ showRaw: false })).toMatchObject({ showRaw: false, promptPath: 'p.md' });
  });

  it('know a provider in any case', () => {
    expect(load({ provider: 'Claude' }).developer.provider).toBe('claude');
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a number that is none', { reviewMaxFixAttempts: 'many' }, 'reviewMaxFixAttempts'],
    ['a negative number', { reviewMaxFixAttempts: -1 }, 'reviewMaxFixAttempts'],
    ['a fraction', { parallel: 1.5 }, 'parallel'],
    ['a word for a number', { parallel: 'two' }, 'command line: parallel: expected number, received string'],
    ['a command that is none', { command: 3 }, 'command: expected a command, as text or as a list of words'],
    ['no slot', { parallel: 0 }, 'parallel'],
    ['an unknown provider', { provider: 'clippy' }, 'provider: expected one of codex, claude,'],
    ['an unknown view', { view: 'gui' }, 'view: expected one of auto, ink, ansi, lines'],
    ['an unknown theme', { theme: 'neon' }, 'theme: expected one of default, mono'],
    ['an unknown mode', { taskMode: 'bottom-up' }, 'taskMode: expected one of auto, top-level'],
    ['an unknown source', { taskSource: 'jira' }, 'taskSource: expected one of auto, bd'],
    [
      'the mode top-level without its task',
      { taskMode: 'top-level' },
      'topLevelTask: required for the task mode "top-level"',
    ],
    ['a flag of bd for a task', { topLevelTask: '--force' }, 'topLevelTask: expected the id of a bead'],
    ['an unknown effort', { reasoningEffort: 'extreme' }, 'reasoningEffort: expected one of low, medium, high'],
    ['an unknown key', { reviewEnable: true }, 'did you mean "reviewEnabled"'],
    ['a provider that needs a command without one', { provider: 'command' }, 'command: required for the provider'],
    [
      'a reviewer that needs a command without one',
      { reviewerProvider: 'messages' },
      'reviewerCommand: required for the provider',
    ],
  ])('refuse %s', (_, flags, expected) => {
    expect(problems(flags)).toContain(expected);
  });

  it('report every mistake of every source at once, with its file', () => {
    write('home/fixpoint/loop.toml', 'parallel = "two"\n');
    write('project/.fixpoint/loop.toml', 'iterations = 0\n');
    const text = problems({ preview: -1 });
    for (const part of [
      'home/fixpoint/loop.toml: parallel',
      'project/.fixpoint/loop.toml: iterations',
      'command line: preview',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('refuse a file that is no TOML, without its words', () => {
    write('project/.fixpoint/loop.toml', 'model = canary-value here\n');
    expect(problems()).toMatch(/loop\.toml: line 1, column \d+: not valid TOML/);
    expect(problems()).not.toContain('canary-value');
  });
});

describe('the reviewer', () => {
  it.each<[string, Readonly<Record<string, unknown>>, object]>([
    ['is as the implementer', { provider: 'claude', model: 'm' }, { provider: 'claude', model: 'm', command: [] }],
    [
      'may have another model',
      { provider: 'claude', model: 'm', reviewerModel: 'r' },
      { provider: 'claude', model: 'r' },
    ],
    [
      'has its own program and model with another provider',
      { provider: 'claude', model: 'm', command: '/opt/c', reviewerProvider: 'codex' },
      { provider: 'codex', model: '', command: [] },
    ],
    [
      'keeps the command of the same provider',
      { provider: 'claude', command: '/opt/c', reviewerProvider: 'claude' },
      { command: ['/opt/c'] },
    ],
    [
      'may be a program of its own',
      { provider: 'claude', reviewerCommand: 'node r.js' },
      { provider: 'command', command: ['node', 'r.js'] },
    ],
  ])('%s', (_, flags, expected) => {
    expect(load(flags).reviewer).toMatchObject(expected);
  });

  it('leaves the implementer as it is', () => {
    const flags = { provider: 'claude', model: 'm', reviewerProvider: 'codex', reviewerModel: 'r' };
    expect(load(flags).developer).toEqual({ provider: 'claude', model: 'm', command: [] });
  });
});

describe('a command line', () => {
  const lineOf = (role: AgentRole, flags: Readonly<Record<string, unknown>>): string => {
    const { developer, reviewer, reasoningEffort, yolo } = load(flags);
    const choice = role === 'reviewer' ? reviewer : developer;
    const { file, args, input } = agentCommand({ choice, role, prompt: 'PROMPT', reasoningEffort, yolo });
    return `${file} ${args.join(' ')} < ${input}`.trim();
  };

  it.each<[AgentRole, Readonly<Record<string, unknown>>, string]>([
    [
      'implementer',
      { provider: 'claude', model: 'm' },
      'claude --print --output-format stream-json --verbose --model m --permission-mode acceptEdits < PROMPT',
    ],
    [
      'fixer',
      { provider: 'claude', yolo: true },
      'claude --print --output-format stream-json --verbose --dangerously-skip-permissions < PROMPT',
    ],
    [
      'reviewer',
      { provider: 'claude', yolo: true },
      'claude --print --output-format stream-json --verbose --allowedTools Read,Glob,Grep --disallowedTools Edit,Write,NotebookEdit,Bash < PROMPT',
    ],
    [
      'implementer',
      { reasoningEffort: 'high' },
      'codex exec --json --config model_reasoning_effort="high" --sandbox workspace-write - < PROMPT',
    ],
    ['fixer', { yolo: true }, 'codex exec --json --dangerously-bypass-approvals-and-sandbox - < PROMPT'],
    ['reviewer', { yolo: true }, 'codex exec --json --sandbox read-only - < PROMPT'],
    ['implementer', { provider: 'copilot' }, 'copilot --allow-tool write < PROMPT'],
    ['reviewer', { provider: 'copilot', yolo: true }, 'copilot --silent --deny-tool write --deny-tool shell < PROMPT'],
    ['implementer', { command: 'node agent.js --fast' }, 'node agent.js --fast < PROMPT'],
    [
      'implementer',
      { provider: 'codex', command: ['/opt/my tools/codex', '-v'] },
      '/opt/my tools/codex -v exec --json --sandbox workspace-write - < PROMPT',
    ],
  ])('of the %s with %j', (role, flags, expected) => {
    expect(lineOf(role, flags)).toBe(expected);
  });
});
