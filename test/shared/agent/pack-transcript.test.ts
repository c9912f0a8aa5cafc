import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INLINE_CHARACTERS, pack, unpack, unpackInput } from '../../../shared/agent/pack-transcript.ts';
import type { ConversationInput } from '../../../shared/agent/transcript.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { propertyRuns } from '../../support/deep.ts';
import { call, reply, say } from './scripted-model.ts';

const long = 'x'.repeat(INLINE_CHARACTERS + 1);
const input: ConversationInput = {
  kind: 'reply',
  reply: reply([say(long), say(long), call('Read', { path: 'a', note: '$blob:forged' }, 'id')]),
  spent: { ...NOTHING_SPENT },
};

describe('a packed input', () => {
  it('stays small, holds equal texts once, and comes back the same', () => {
    const packed = pack(input);
    expect(JSON.stringify(packed.input).length).toBeLessThan(1_500);
    expect([...packed.blobs.values()].toSorted()).toEqual(['$blob:forged', long].toSorted());
    const stored: unknown = JSON.parse(JSON.stringify(packed.input));
    expect(unpackInput(stored, packed.blobs)).toEqual(input);
  });

  it.each([
    ['is missing', () => new Map<string, string>()],
    ['was changed', () => new Map([...pack(input).blobs.keys()].map((hash) => [hash, 'other'] as const))],
  ])('is refused when a text of it %s', (_name, blobs) => {
    expect(() => unpackInput(pack(input).input, blobs())).toThrow(
      expect.objectContaining({ code: 'TRANSCRIPT_UNREADABLE' }),
    );
  });

  it('is refused when it has another shape', () => {
    expect(() => unpackInput({ kind: 'reply' }, new Map())).toThrow(
      expect.objectContaining({ code: 'TRANSCRIPT_UNREADABLE' }),
    );
  });

  it('comes back the same for every JSON value', () => {
    const texts = fc.oneof(fc.string(), fc.constant(long), fc.constantFrom('$blob:', '$blob:a', '__proto__'));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(texts, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const { input: packed, blobs } = pack(given);
        expect(JSON.stringify(unpack(packed, blobs))).toBe(JSON.stringify(given));
      }),
      propertyRuns(200, 5_000),
    );
  });
});
