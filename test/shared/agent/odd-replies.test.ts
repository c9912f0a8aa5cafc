/** Replies that no model should give, and what becomes of the conversation. */
import { describe, expect, it } from 'vitest';
import type { Message, ModelReply } from '../../../shared/agent/model/model.ts';
import { wellFormed } from '../../../shared/agent/model/well-formed.ts';
import { readLines } from '../../../shared/agent/read-lines.ts';
import { createSubmitVerificationTool } from '../../../shared/agent/tools/submit-verification.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { writeFiles } from '../workspace/folder.ts';
import { explorerTools, newWorkspace, protect } from './agent-run.ts';
import { outcome, play } from './play.ts';
import { call, reply, REVIEW, say, submit, usage } from './scripted-model.ts';

const workspace = (): string => {
  const root = newWorkspace();
  writeFiles(root, Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`src/${at}.ts`, `line of ${at}\n`])));
  return root;
};

const idsOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.id] : [])));

describe('call ids', () => {
  /** As servers that give no ids: the adapter calls the first call of every answer `call_0`. */
  const read = (file: number): ModelReply =>
    reply([call('Read', { path: `src/${file}.ts` }, 'call_0'), call('Read', { path: `src/${file}.ts` }, 'call_0')], {
      usage: usage({ uncachedInput: 100_000 }),
    });

  it('are used once in a conversation, also after its middle was removed', async () => {
    const files = [0, 1, 2, 3, 4, 5, 6, 7];
    const { model, result } = await play([...files.map(read), submit()], {
      root: workspace(),
      start: { maxTurns: 20, compactAtTokens: 50_000 },
    });
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
    const all = model.requests.map(({ messages }) => idsOf(messages));
    for (const ids of all) expect(new Set(ids).size).toBe(ids.length);
    // Else nothing was removed, and the names would be unique anyway.
    expect(all.at(-1)?.length).toBeLessThan(2 * files.length);
  });

  it('name the lines that a conversation still holds, and not lines that it held under the same id', async () => {
    const grep = reply([call('Grep', { pattern: 'line' }, 'call_0')], { usage: usage({ uncachedInput: 100_000 }) });
    const { result } = await play([read(0), read(1), read(2), grep, submit()], {
      root: workspace(),
      start: { maxTurns: 20, compactAtTokens: 50_000 },
    });
    if (result.kind !== 'ended') throw new Error(result.kind);
    expect([...readLines(result.transcript).keys()]).toEqual(['src/1.ts', 'src/2.ts']);
  });
});

describe('several submissions in one turn', () => {
  const other = { ...REVIEW, summary: 'Looks at the other file.' };

  it('are refused, and the whole review is asked for', async () => {
    const { model, result } = await play([
      reply([call('submit_review', REVIEW), call('submit_review', other)]),
      submit({ ...REVIEW, summary: 'Both.' }),
    ]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('submit_review was called 2 times');
    expect(outcome(result)).toMatchObject({ kind: 'submitted', submission: { summary: 'Both.' } });
  });

  it('are refused if one of them is refused already', async () => {
    const { model } = await play([reply([call('submit_review', REVIEW), call('submit_review', 'LGTM')]), submit()]);
    expect(model.requests).toHaveLength(2);
  });

  it('are one if they are equal', async () => {
    const { model, result } = await play([reply([call('submit_review', REVIEW), call('submit_review', REVIEW)])]);
    expect([model.requests.length, outcome(result)]).toMatchObject([1, { kind: 'submitted' }]);
  });

  it('end the attempt if they stay', async () => {
    const both = () => reply([call('submit_review', REVIEW), call('submit_review', other)]);
    const { result } = await play([both(), both(), both()]);
    expect(outcome(result)).toMatchObject({ kind: 'violation' });
  });
});

describe('several outcomes of a verifier in one turn', () => {
  const verify = async (...outcomes: readonly string[]) => {
    const root = workspace();
    const files = createWorkspaceFiles(openTree(root), protect);
    const { result } = await play([reply(outcomes.map((each) => call('submit_verification', { outcome: each })))], {
      tools: [...explorerTools(root), createSubmitVerificationTool(files)],
      start: { role: 'verifier' },
    });
    return outcome(result);
  };

  it.each<[readonly string[], string]>([
    [['confirmed', 'confirmed'], 'confirmed'],
    [['confirmed', 'unsure'], 'unsure'],
    [['unsure', 'confirmed'], 'unsure'],
  ])('%j count as %s', async (given, expected) => {
    expect(await verify(...given)).toMatchObject({ kind: 'verified', verification: { outcome: expected } });
  });
});

describe('a value that is nested too deeply', () => {
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

  it.each([100, 5_000, 200_000])('is unreadable input of a tool, with %i levels', async (levels) => {
    const thought = { kind: 'opaque' as const, value: { type: 'thinking', thinking: 'Hm.', more: deep(levels) } };
    const { model, result, saved } = await play([
      reply([thought, call('Read', { path: deep(levels) }), call('submit_review', { summary: deep(levels) })]),
      submit(),
    ]);
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
    // It can be stored, sent and read back.
    expect(JSON.stringify(saved)).not.toContain('thinking');
    expect(JSON.stringify(model.requests[1])).toContain('nested too deeply');
  });

  it('is left alone up to 64 levels', async () => {
    const { model } = await play([reply([call('Read', { path: deep(60) })]), submit()]);
    expect(JSON.stringify(model.requests[1])).toContain('['.repeat(60));
  });
});

describe('half of a surrogate pair', () => {
  const half = '\ud83d';

  it('is sent to no provider, wherever it is', () => {
    const request = {
      model: 'm',
      maxOutputTokens: 1,
      system: [{ kind: 'text' as const, text: `a${half}` }],
      tools: [],
      messages: [
        { role: 'user' as const, blocks: [{ kind: 'text' as const, text: `😀${half}b` }] },
        {
          role: 'assistant' as const,
          blocks: [call('Read', { [`k${half}`]: [half] }, `id${half}`), say(half)],
        },
      ],
    };
    const sent = JSON.stringify(wellFormed(request));
    expect(sent).not.toMatch(/\\ud[89a-f]/);
    expect(sent).toContain('😀\ufffdb');
    expect(wellFormed({ ...request, system: [], messages: [] })).toEqual({ ...request, system: [], messages: [] });
  });
});
