import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../shared/agent/build-request.ts';
import { compactHard, compactWhenLong } from '../../../shared/agent/compaction.ts';
import { type Conversation, startConversation } from '../../../shared/agent/conversation.ts';
import type { Message } from '../../../shared/agent/model/model.ts';
import { appendNotes, hasNotes, MAX_NOTES_CHARACTERS } from '../../../shared/agent/notes.ts';
import { propertyRuns } from '../../support/deep.ts';
import { startOf } from './agent-run.ts';
import { brokenRules } from './request-rules.ts';
import { call, say } from './scripted-model.ts';

/** No calls: only words. Fewer: nothing usable came, and the user goes on alone. */
const exchange = (id: number, calls: number): readonly Message[] => {
  if (calls < 0) return [{ role: 'user', blocks: [{ kind: 'text', text: `[Nudge ${id}]` }] }];
  const ids = Array.from({ length: calls }, (_, index) => `c${id}-${index}`);
  return [
    {
      role: 'assistant',
      blocks: calls === 0 ? [say('hm')] : ids.map((one) => call('Read', { path: `file-${one}` }, one)),
    },
    {
      role: 'user',
      blocks: [
        ...ids.map((callId) => ({ kind: 'tool_result' as const, callId, text: `RESULT ${callId}`, isError: false })),
        { kind: 'text', text: `[Turn ${id}]` },
      ],
    },
  ];
};

const conversation = (calls: readonly number[], patch: Partial<Conversation> = {}): Conversation => {
  const started = startConversation(startOf([], { compactAtTokens: 1_000, maxTurns: 100 }));
  const messages = [...started.messages, ...calls.flatMap((count, index) => exchange(index + 1, count))];
  return { ...started, messages, known: { messages: messages.length, tokens: 1_000 }, ...patch };
};

const text = (messages: readonly Message[]): string => JSON.stringify(messages);

describe('compaction', () => {
  it('keeps the task first and the newest turns, and replaces the middle by notes and what was called', () => {
    const before = conversation([1, 1, 1, 1], { notes: '## Callers\nmain calls it', gathered: ['FROM EXPLORER'] });
    const after = compactWhenLong(before);
    const seen = text(after.messages);
    expect(after.messages[0]?.blocks[0]).toEqual(before.messages[0]?.blocks[0]);
    expect([seen.includes('main calls it'), seen.includes('FROM EXPLORER'), seen.includes('file-c1-0')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([seen.includes('RESULT c2-0'), seen.includes('RESULT c3-0'), seen.includes('RESULT c4-0')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(after).toMatchObject({ known: null, compactions: 1 });
  });

  it('does nothing below the threshold or with nothing to drop', () => {
    const short = conversation([1, 1, 1, 1], { known: { messages: 9, tokens: 999 } });
    expect(compactWhenLong(short)).toBe(short);
    const two = conversation([1, 1]);
    expect(compactWhenLong(two)).toBe(two);
    const fresh = conversation([]);
    expect(compactHard(fresh)).toBe(fresh);
  });

  it.each([
    [8, null, true],
    [8, 5, true],
    [8, 6, false],
    [8, 8, false],
  ])('is done in turn %i after one in turn %s: %s', (turns, compactedAt, expected) => {
    const before = conversation([1, 1, 1, 1], { turns, compactedAt });
    const after = compactWhenLong(before);
    expect(after !== before).toBe(expected);
    expect(after.compactedAt).toBe(expected ? turns : compactedAt);
    // A context that is full leaves no choice.
    expect(compactHard(before)).not.toBe(before);
  });

  it('says notes once, however often it is done', () => {
    const once = compactWhenLong(conversation([1, 1, 1], { notes: 'NOTE' }));
    const grown = {
      ...once,
      turns: 3,
      messages: [...once.messages, ...exchange(9, 1), ...exchange(10, 2)],
      known: { messages: 9, tokens: 2_000 },
    };
    const twice = compactWhenLong(grown);
    expect(text(twice.messages).split('NOTE')).toHaveLength(2);
    expect(text(twice.messages).split('was removed to save space')).toHaveLength(2);
  });

  it('never parts a call from its result, and always leaves a request that may be sent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 12 }),
        fc.boolean(),
        fc.string(),
        (calls, hard, notes) => {
          const before = conversation(calls, { notes });
          const after = hard ? compactHard(before) : compactWhenLong(before);
          expect(brokenRules(buildRequest(after))).toEqual([]);
          expect(after.messages.length).toBeLessThanOrEqual(before.messages.length);
          const rest = after.messages.slice(1);
          expect(before.messages.slice(before.messages.length - rest.length)).toEqual(rest);
        },
      ),
      propertyRuns(200, 10_000),
    );
  });
});

describe('notes', () => {
  it('are full at their limit, say so, and take nothing more', () => {
    const full = appendNotes('a', 'x'.repeat(MAX_NOTES_CHARACTERS));
    expect(full).toHaveLength(MAX_NOTES_CHARACTERS);
    expect(full.endsWith('(The notes were cut here: they are full.)\n')).toBe(true);
    expect(appendNotes(full, 'more')).toBe(full);
    const lines = appendNotes('a', 'a line of notes\n'.repeat(5_000));
    expect(lines.length).toBeLessThan(MAX_NOTES_CHARACTERS);
    expect(appendNotes(lines, 'more')).toBe(lines);
  });

  it.each([
    ['', false],
    ['# Title\n\n## Callers\n   ', false],
    ['## Callers\nmain', true],
  ])('%j are notes: %s', (notes, expected) => {
    expect(hasNotes(notes)).toBe(expected);
  });
});
