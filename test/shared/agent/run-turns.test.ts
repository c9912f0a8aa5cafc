import { describe, expect, it } from 'vitest';
import type { Message } from '../../../shared/agent/model/model.ts';
import { ModelOverloadedError } from '../../../shared/agent/model/model-errors.ts';
import { createRecordedModel } from '../../../shared/agent/recorded-model.ts';
import { runTurns, type TurnsResult } from '../../../shared/agent/run-turns.ts';
import { conversationOf } from '../../../shared/agent/turns.ts';
import type { ConversationInput, Transcript } from '../../../shared/agent/transcript.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { writeFiles } from '../workspace/folder.ts';
import { explorerTools, never, newWorkspace, reviewRules, testRun } from './agent-run.ts';
import { brokenRules } from './request-rules.ts';
import { outcome, play } from './play.ts';
import { call, reply, REVIEW, say, scriptedModel, type Step, submit } from './scripted-model.ts';

const workspace = (): string => {
  const root = newWorkspace();
  writeFiles(root, {
    'src/a.ts': 'export const a = 1;\nexport const b = 2;\n',
    'src/b.ts': "import { a } from './a.ts';\n",
  });
  return root;
};

const allText = (messages: readonly Message[]): string => JSON.stringify(messages);

const THREAD = {
  id: 'F-001',
  severity: 'P1',
  legalActions: ['resolve'],
  claim: { place: { path: 'x', side: 'new', startLine: 1, line: 1 }, title: 'Old', body: '', citedCode: '' },
} as const;

describe('a review', () => {
  it('runs the calls of a turn, gives their results in the asked order, and takes the review', async () => {
    const root = workspace();
    const { model, result } = await play(
      [
        reply([
          call('Grep', { pattern: 'export' }, 'one'),
          call('Read', { path: 'src/a.ts', offset: 2 }, 'two'),
          call('Glob', { pattern: '*.ts' }, 'three'),
        ]),
        submit({ summary: 'Fine.', findings: [{ path: 'src/a.ts', line: 1, body: 'Bad. Very.' }], not_reviewed: [] }),
      ],
      { root },
    );
    const results = model.requests[1]?.messages.at(-1)?.blocks.slice(0, 3) ?? [];
    const texts = results.map((block) =>
      block.kind === 'tool_result' ? [block.callId, block.text.split('\n')[1]] : [],
    );
    expect(texts).toEqual([
      ['one', 'src/a.ts:1: export const a = 1;'],
      ['two', '2\texport const b = 2;'],
      ['three', 'src/a.ts'],
    ]);
    expect(outcome(result)).toEqual({
      kind: 'submitted',
      submission: {
        summary: 'Fine.',
        answers: [],
        omitted: [],
        findings: [
          {
            path: 'src/a.ts',
            line: 1,
            startLine: 1,
            side: 'new',
            severity: 'P2',
            relation: 'current_diff',
            title: 'Bad.',
            body: 'Bad. Very.',
            evidence: '',
            suggestion: null,
            blocking: true,
            rule: null,
          },
        ],
      },
    });
    expect(result).toMatchObject({ spent: { turns: 2, modelCalls: 2, inputTokens: 200, outputTokens: 40 } });
  });

  it('makes one single call with the notes when the turns are over, and takes its review', async () => {
    const { model, result } = await play(
      [
        reply([call('WriteNotes', { text: '## Callers\nmain.ts:3 calls it' })]),
        reply([call('Glob', { pattern: '*' })]),
        submit(),
      ],
      { start: { maxTurns: 2 } },
    );
    const [, , fallback] = model.requests;
    expect(fallback?.tools).toEqual(model.requests[0]?.tools);
    expect(fallback?.messages).toHaveLength(1);
    expect(allText(fallback?.messages ?? [])).toContain('main.ts:3 calls it');
    expect(fallback?.messages[0]?.blocks[0]).toEqual({ kind: 'text', text: 'The diff.', cache: true });
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
  });

  it('names the turns and keeps the notes when the single call brings no review either', async () => {
    const look = () => reply([call('Glob', { pattern: '*' }), call('WriteNotes', { text: 'half way' })]);
    const { model, result } = await play([look(), look(), look()], { start: { maxTurns: 2 } });
    expect(model.left()).toBe(0);
    expect(outcome(result)).toEqual({
      kind: 'budget_exceeded',
      exceeded: { budget: 'turns', scope: 'run', limit: 2 },
      notes: 'half way',
    });
  });

  it('goes to that single call at once when the last turn brings only prose', async () => {
    const { model, result } = await play([reply([say('Fine by me.')]), submit()], { start: { maxTurns: 1 } });
    expect(model.requests[1]?.messages).toHaveLength(1);
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
  });

  it.each([
    ['breaks the rules', submit({ ...REVIEW, findings: 'none' })],
    ['leaves a thread out', submit()],
    ['is prose', reply([say('Fine by me.')])],
    ['is empty', reply([])],
    ['is cut', reply([say('Fi')], { stopReason: 'max_tokens' })],
    ['does not fit', reply([say('Fi')], { stopReason: 'context_exceeded' })],
  ])('corrects nothing when that single call %s', async (_name, last) => {
    const { model, result } = await play([reply([]), last, submit()], {
      start: { maxTurns: 1 },
      rules: reviewRules({ openThreads: [THREAD] }),
    });
    expect(model.left()).toBe(1);
    expect(outcome(result)).toMatchObject({ kind: 'budget_exceeded', exceeded: { scope: 'run' } });
  });

  it('makes the ids of calls its own when a gateway repeats them', async () => {
    const twice = () => reply([call('Glob', { pattern: 'a' }, 'same'), call('Glob', { pattern: 'b' }, 'same')]);
    const { model } = await play([twice(), twice(), submit()]);
    expect(model.requests.flatMap(brokenRules)).toEqual([]);
    const ids = (model.requests[2]?.messages ?? []).flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('says what is wrong with a review and takes the corrected one', async () => {
    const thread = {
      id: 'F-001',
      severity: 'P1',
      legalActions: ['resolve', 'veto', 'escalate'],
      claim: { place: { path: 'x', side: 'new', startLine: 1, line: 1 }, title: 'Old', body: '', citedCode: '' },
    } as const;
    const { model, result } = await play(
      [
        submit(REVIEW),
        submit({ ...REVIEW, answers: { 'F-001': { action: 'reply', stance: 'seeks_change', body: 'no' } } }),
        submit({ ...REVIEW, answers: { 'F-001': { action: 'resolve', stance: 'accepts', body: 'fixed' } } }),
      ],
      { rules: reviewRules({ openThreads: [thread] }) },
    );
    expect(allText(model.requests[1]?.messages ?? [])).toContain('answers: F-001 has no action; it needs exactly one');
    expect(allText(model.requests[2]?.messages ?? [])).toContain(
      'reply is not allowed; allowed: resolve, veto, escalate',
    );
    expect(outcome(result)).toMatchObject({
      kind: 'submitted',
      submission: { answers: [{ findingId: 'F-001', action: 'resolve', stance: 'accepts' }] },
    });
  });

  it('fails the attempt when a violation stays after two corrections', async () => {
    const { model, result } = await play([submit(), submit(), submit(), submit()], {
      rules: reviewRules({ openThreads: [THREAD] }),
    });
    expect(model.requests).toHaveLength(3);
    expect(outcome(result)).toEqual({
      kind: 'violation',
      problems: ['answers: F-001 has no action; it needs exactly one'],
      notes: '',
    });
  });

  it('takes the rest when a bad finding stays, and says that something is missing', async () => {
    const findings = [
      { path: 'a.ts', line: 1, body: 'Good.' },
      { path: 'b.ts', line: 'x', body: 'Bad.' },
    ];
    const { result } = await play([
      submit({ ...REVIEW, findings }),
      submit({ ...REVIEW, findings }),
      submit({ ...REVIEW, findings }),
    ]);
    expect(outcome(result)).toMatchObject({
      kind: 'submitted',
      submission: {
        findings: [{ path: 'a.ts' }],
        omitted: [{ path: 'b.ts', reason: 'a finding of the model about this file could not be read: Bad.' }],
      },
    });
  });

  it('gives the last raw text when no review can be read', async () => {
    const { result } = await play([reply([say('one')]), reply([say('two')]), reply([say('three')])]);
    expect(outcome(result)).toEqual({ kind: 'unreadable', rawText: 'three', notes: '' });
  });

  it('takes a review that was written as text in a fence', async () => {
    const text =
      'Here it is:\n```json\n{"summary": "S", "comments": [{"path": "a.ts", "line": 3, "body": "Broken."},]}\n```';
    const { result, model } = await play([reply([say(text)])]);
    expect(model.requests).toHaveLength(1);
    expect(outcome(result)).toMatchObject({ kind: 'submitted', submission: { findings: [{ path: 'a.ts', line: 3 }] } });
  });

  it('does not believe an empty review that stands somewhere in prose', async () => {
    const quoted = 'The file says {"summary": "LGTM", "comments": []} and I wonder why.';
    const { result } = await play([reply([say(quoted)]), reply([say(quoted)]), reply([say(quoted)])]);
    expect(outcome(result)).toMatchObject({ kind: 'unreadable', rawText: quoted });
  });

  it('hands thinking back unchanged and never sends empty text', async () => {
    const thinking = { kind: 'opaque', value: { type: 'thinking', thinking: 'x', signature: 'sig' } } as const;
    const { model } = await play([reply([thinking, say(''), call('Glob', { pattern: '*' }, 'g')]), submit()]);
    expect(model.requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      blocks: [thinking, { kind: 'tool_call', id: 'g', name: 'Glob', input: { pattern: '*' } }],
    });
  });
});

describe('an explorer', () => {
  const explore = async (steps: readonly Step[], maxTurns = 4) => {
    const root = workspace();
    return play(steps, { tools: explorerTools(root), start: { role: 'explorer', maxTurns, maxExplorers: 0 } });
  };

  it('ends with its notes', async () => {
    const { result } = await explore([
      reply([call('WriteNotes', { text: '## Callers\nnone' })]),
      reply([say('Done.')]),
    ]);
    expect(outcome(result)).toEqual({ kind: 'explored', notes: '## Callers\nnone', found: true });
  });

  it('tells nothing found apart from everything else', async () => {
    const { result } = await explore([reply([call('WriteNotes', { text: '# Title\n\n## Callers' })]), reply([])]);
    expect(outcome(result)).toEqual({ kind: 'explored', notes: '# Title\n\n## Callers', found: false });
  });

  it('keeps partial notes when its turns are over', async () => {
    const look = () => reply([call('WriteNotes', { text: 'one more' })]);
    const { result, model } = await explore([look(), look()], 2);
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
    expect(outcome(result)).toEqual({
      kind: 'budget_exceeded',
      exceeded: { budget: 'turns', scope: 'run', limit: 2 },
      notes: 'one more\n\none more',
    });
  });

  it('T14: cannot send another explorer', async () => {
    const { result, model } = await explore([
      reply([call('Agent', { question: 'Who calls the function?' })]),
      reply([]),
    ]);
    expect(allText(model.requests[1]?.messages ?? [])).toContain('there is no such tool');
    expect(outcome(result)).toMatchObject({ kind: 'explored' });
  });
});

describe('explorers', () => {
  const ask = (id: string) => call('Agent', { question: `Who calls function ${id}?`, files: ['a.ts'] }, id);

  const waitingIn = (result: TurnsResult) => {
    const phase = result.kind === 'waits' ? conversationOf(result.transcript).phase : null;
    return phase?.kind === 'explorers' ? phase.waiting : null;
  };

  it('T14: are asked for at most four times in a review, whatever the model wants', async () => {
    const { result } = await play([reply(Array.from({ length: 16 }, (_, index) => ask(`e${index}`)))]);
    expect(waitingIn(result)).toMatchObject(
      ['e0', 'e1', 'e2', 'e3'].map((callId) => ({ callId, question: `Who calls function ${callId}?` })),
    );
  });

  it('T14: are counted over all turns', async () => {
    const first = await play([reply([ask('e1'), ask('e2'), ask('e3')])]);
    if (first.result.kind !== 'waits') throw new Error('it must wait');
    const { transcript } = first.result;
    const explored: ConversationInput = { kind: 'explored', answers: [], spent: { ...NOTHING_SPENT } };
    const resumed = { ...transcript, inputs: [...transcript.inputs, explored] };
    const { result } = await play([reply([ask('e4'), ask('e5')])], { transcript: resumed });
    expect(waitingIn(result)).toMatchObject([{ callId: 'e4' }]);
  });

  it('bring their notes back as results of their calls, failures told apart', async () => {
    const first = await play([reply([ask('e1'), call('Glob', { pattern: 'none' }, 'g'), ask('e2'), ask('e3')])]);
    if (first.result.kind !== 'waits') throw new Error('it must wait');
    const explored: ConversationInput = {
      kind: 'explored',
      answers: [
        { callId: 'e1', outcome: 'found', notes: 'NOTES ONE' },
        { callId: 'e2', outcome: 'nothing_found', notes: '' },
      ],
      spent: { ...NOTHING_SPENT },
    };
    const { transcript } = first.result;
    const resumed: Transcript = { ...transcript, inputs: [...transcript.inputs, explored] };
    const { model, result } = await play([submit()], { transcript: resumed });
    const results = (model.requests[0]?.messages.at(-1)?.blocks ?? []).flatMap((block) =>
      block.kind === 'tool_result' ? [[block.callId, block.isError, block.text.slice(0, 31)]] : [],
    );
    expect(results).toEqual([
      ['e1', false, 'The explorer found:\nNOTES ONE'],
      ['g', false, `<data-k3v9q2m7x1z8c4b6n0 tool-gl`.slice(0, 31)],
      ['e2', false, 'The explorer looked and found n'],
      ['e3', true, 'The explorer failed before it f'],
    ]);
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
  });
});

describe('a run that is stopped', () => {
  const steps = (): readonly Step[] => [
    reply([call('WriteNotes', { text: 'first' }, 'n1')]),
    reply([call('Glob', { pattern: '*.ts' }, 'g1'), call('Read', { path: 'src/a.ts' }, 'r1')]),
    submit({ ...REVIEW, findings: 'broken' }),
    submit({ ...REVIEW, findings: [{ path: 'src/a.ts', line: 1, body: 'Wrong.' }] }),
  ];

  it('goes on from every checkpoint to the same outcome, asking each time for what is missing and no more', async () => {
    const root = workspace();
    const whole = await play(steps(), { root });
    if (whole.result.kind !== 'ended') throw new Error('it must end');
    const { transcript } = whole.result;
    expect(transcript.inputs.map(({ kind }) => kind)).toEqual([
      'reply',
      'results',
      'reply',
      'results',
      'reply',
      'results',
      'reply',
      'results',
    ]);
    for (let at = 0; at <= transcript.inputs.length; at += 1) {
      const inputs = transcript.inputs.slice(0, at);
      const replies = inputs.filter(({ kind }) => kind === 'reply').length;
      const rest = await play(steps().slice(replies), { root, transcript: { ...transcript, inputs } });
      expect(rest.model.left()).toBe(0);
      expect(outcome(rest.result)).toEqual(whole.result.outcome);
    }
  });

  it('gives the same transcript when its recorded answers are played to the real loop and tools', async () => {
    const root = workspace();
    const whole = await play(steps(), { root });
    if (whole.result.kind !== 'ended') throw new Error('it must end');
    const recorded = createRecordedModel(whole.result.transcript);
    const again = await runTurns(testRun(recorded, { root }).run, never);
    expect(again).toEqual(whole.result);
  });

  it('ends as superseded between turns, without another call', async () => {
    let asked = 0;
    const { model, result } = await play(steps(), { isSuperseded: async () => (asked += 1) > 2 });
    expect(result).toEqual({ kind: 'superseded' });
    expect(model.requests).toHaveLength(1);
  });

  it('ends as superseded in the middle of a call', async () => {
    let wanted = true;
    const test = testRun(
      scriptedModel([
        async (_request, signal) => {
          wanted = false;
          test.clock.advance(100_000);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          throw signal.reason;
        },
      ]),
      { isSuperseded: async () => !wanted },
    );
    expect(await runTurns(test.run, never)).toEqual({ kind: 'superseded' });
    expect(test.saved).toEqual([]);
  });

  it('stops when the check for supersession fails: it is not read as wanted', async () => {
    let checks = 0;
    const test = testRun(
      scriptedModel([
        async (_request, signal) => {
          test.clock.advance(100_000);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          throw signal.reason;
        },
      ]),
      {
        isSuperseded: async () => {
          if ((checks += 1) > 1) throw new Error('store away');
          return false;
        },
      },
    );
    await expect(runTurns(test.run, never)).rejects.toThrow('store away');
  });

  it('ends with its notes and the name of the budget when the wall time is over in a call', async () => {
    const test = testRun(
      scriptedModel([
        reply([call('WriteNotes', { text: 'kept' })]),
        async (_request, signal) => {
          test.clock.advance(600_000);
          await new Promise((resolve) => (signal.aborted ? resolve(null) : signal.addEventListener('abort', resolve)));
          throw signal.reason;
        },
      ]),
    );
    expect(outcome(await runTurns(test.run, never))).toEqual({
      kind: 'budget_exceeded',
      exceeded: { budget: 'wall', scope: 'run', limit: 600_000 },
      notes: 'kept',
    });
  });

  it('counts the wall time of earlier executions', async () => {
    const test = testRun(
      scriptedModel([
        () => (test.clock.advance(400_000), reply([call('Glob', { pattern: '*' })])),
        new ModelOverloadedError({
          facts: { status: 529, type: null, requestId: null },
          cause: null,
          retryAfterMs: 300_000,
          cost: { kind: 'nothing' },
        }),
      ]),
    );
    await expect(runTurns(test.run, never)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    const again = testRun(
      scriptedModel([
        async (_request, signal) => {
          again.clock.advance(200_000);
          throw signal.reason;
        },
      ]),
      { transcript: { ...test.run.transcript, inputs: [...test.saved] } },
    );
    expect(outcome(await runTurns(again.run, never))).toMatchObject({ exceeded: { budget: 'wall' } });
  });

  it('throws the reason of its caller and keeps what it had', async () => {
    const controller = new AbortController();
    const test = testRun(
      scriptedModel([
        reply([call('WriteNotes', { text: 'x' })]),
        () => {
          controller.abort(new Error('shutting down'));
          throw new Error('cut');
        },
      ]),
    );
    await expect(runTurns(test.run, controller.signal)).rejects.toThrow('shutting down');
    expect(test.saved.map(({ kind }) => kind)).toEqual(['reply', 'results']);
  });
});
