/** What a request lists and marks for the cache, from the first turn to the last one. */
import { describe, expect, it } from 'vitest';
import type { Message, ModelReply } from '../../../shared/agent/model/model.ts';
import type { ConversationStart } from '../../../shared/agent/transcript.ts';
import { writeFiles } from '../workspace/folder.ts';
import { explorerTools, newWorkspace, reviewerTools } from './agent-run.ts';
import { outcome, play } from './play.ts';
import { call, reply, submit } from './scripted-model.ts';

const workspace = (): string => {
  const root = newWorkspace();
  writeFiles(root, { 'src/a.ts': 'export const a = 1;\n' });
  return root;
};

const namesIn = (tools: readonly { readonly name: string }[]): readonly string[] => tools.map(({ name }) => name);

const allText = (messages: readonly Message[]): string => JSON.stringify(messages);

const lastText = (messages: readonly Message[]): string => {
  const block = messages.at(-1)?.blocks.at(-1);
  return block?.kind === 'text' ? block.text : '';
};

/** As `message.block`. */
const cachedPlaces = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ blocks }, message) =>
    blocks.flatMap((block, index) => (block.kind === 'text' && block.cache === true ? [`${message}.${index}`] : [])),
  );

describe('the last turn', () => {
  it('keeps every tool in the last turn, which is announced behind what the cache holds', async () => {
    const look = () => reply([call('Glob', { pattern: '*' })]);
    const { model } = await play([look(), look(), submit()], { start: { maxTurns: 3 } });
    const all = ['Read', 'Glob', 'Grep', 'WriteNotes', 'Agent', 'submit_review'];
    expect(model.requests.map(({ tools }) => namesIn(tools))).toEqual([all, all, all]);
    expect(model.requests.map(({ messages }) => lastText(messages).slice(0, 21))).toEqual([
      '[Turn 1 of 3; up to 1',
      '[Turn 2 of 3]',
      'This is the last turn',
    ]);
    expect(lastText(model.requests[2]?.messages ?? [])).toContain('Only submit_review is accepted now');
    const places = model.requests.map(({ messages }) => cachedPlaces(messages));
    expect(places).toEqual([
      ['0.0', '0.1'],
      ['0.0', '0.1', '2.1'],
      ['0.0', '2.1'],
    ]);
  });

  it('sets breakpoints where the previous request ended and at its own end', async () => {
    const look = () => reply([call('Glob', { pattern: '*' })]);
    const { model } = await play([look(), look(), look(), submit()]);
    const places = model.requests.map(({ messages }) => cachedPlaces(messages));
    expect(places).toEqual([
      ['0.0', '0.1'],
      ['0.0', '0.1', '2.1'],
      ['0.0', '2.1', '4.1'],
      ['0.0', '4.1', '6.1'],
    ]);
  });

  it.each<[string, ConversationStart['role'], string]>([
    ['a reviewer', 'reviewer', 'submit_review'],
    ['an explorer', 'explorer', 'WriteNotes'],
  ])('T2: carries out nothing else in the last turn of %s, and says so', async (_name, role, closing) => {
    const root = workspace();
    const broken: ModelReply = reply([
      call('Read', { path: 'src/a.ts' }, 'read'),
      call('Agent', { question: 'Who calls the function?' }, 'agent'),
      call('submit_review', { summary: 'x', findings: 'none' }, 'submit'),
    ]);
    const { model, saved } = await play([broken, submit()], {
      start: { maxTurns: 1, role },
      tools: role === 'reviewer' ? reviewerTools(root) : explorerTools(root),
    });
    const results = saved.flatMap((input) => (input.kind === 'results' ? input.results : []));
    expect(results.slice(0, 2)).toEqual([
      { kind: 'failed', text: `refused: this is the last turn, in which only ${closing} can be called` },
      role === 'reviewer'
        ? { kind: 'failed', text: 'refused: this is the last turn, in which only submit_review can be called' }
        : { kind: 'failed', text: 'there is no such tool; available tools: WriteNotes' },
    ]);
    // A correction of the last turn tells the model.
    if (role === 'reviewer') expect(allText(model.requests[1]?.messages ?? [])).toContain('refused: this is the last');
    expect(allText(model.requests.at(-1)?.messages ?? [])).not.toContain('export const');
  });

  it('carries nothing out in the last turn that is not accepted', async () => {
    const { model, result } = await play([reply([call('WriteNotes', { text: 'late' })]), submit()], {
      start: { maxTurns: 1 },
    });
    expect(allText(model.requests[1]?.messages ?? [])).not.toContain('late');
    expect(outcome(result)).toMatchObject({ kind: 'submitted' });
  });
});
