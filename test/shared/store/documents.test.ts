import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CliSession } from '../../../shared/store/cli-session.ts';
import { createDocumentStore, StoredDocumentMissingError } from '../../../shared/store/documents.ts';
import { NotesText, RawText, RulesFound } from '../../../shared/store/texts.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const Document = z.object({ v: z.literal(1), text: z.string() });

describe('a stored document', () => {
  it('is read as it was written, for a week', async () => {
    const store = createDocumentStore(redis, Document);
    await store.save('one', { v: 1, text: 'a' });
    expect(await store.load('one')).toEqual({ v: 1, text: 'a' });
    expect(Math.ceil((await redis.ttl('one')) / (24 * 3_600))).toBe(7);
  });

  it.each([
    ['it was never written', null],
    ['another version wrote it', '{"v":2,"text":"a"}'],
    ['it has another shape', '{"v":1}'],
  ])('is null when %s', async (_name, text) => {
    if (text !== null) await redis.set('one', text);
    expect(await createDocumentStore(redis, Document).load('one')).toBeNull();
  });

  it('is saved once, unless what is stored cannot be read', async () => {
    const store = createDocumentStore(redis, Document);
    expect(await store.saveOnce('one', { v: 1, text: 'a' })).toBe(true);
    expect(await store.saveOnce('one', { v: 1, text: 'b' })).toBe(false);
    expect(await store.load('one')).toEqual({ v: 1, text: 'a' });
    expect(Math.ceil((await redis.ttl('one')) / (24 * 3_600))).toBe(7);
    await redis.set('one', '{"v":2,"text":"a"}');
    expect(await store.saveOnce('one', { v: 1, text: 'c' })).toBe(true);
    expect(await store.load('one')).toEqual({ v: 1, text: 'c' });
    expect(Math.ceil((await redis.ttl('one')) / (24 * 3_600))).toBe(7);
  });

  it('that a job needs and that is gone lets the job end quietly', () => {
    expect(new StoredDocumentMissingError('the plan')).toMatchObject({
      code: 'STORED_DOCUMENT_MISSING',
      message: 'the plan is no longer in the store',
      disposition: { kind: 'drop' },
      fields: { what: 'the plan' },
    });
  });
});

describe('what is kept of a run', () => {
  const session = {
    v: 1,
    id: '3f0c6a52-8e0a-4f9e-9a53-0d7a1a4f6f10',
    runId: '0123456789abcdef0123',
    ended: { outcome: { kind: 'explored', notes: 'n', found: true }, spent: NOTHING_SPENT, boundary: 'b'.repeat(32) },
  };

  it.each([
    ['a session of a reviewer outside', CliSession, session],
    ['notes', NotesText, { v: 1, text: '' }],
    ['a raw answer', RawText, { v: 1, text: 'x' }],
    ['findings of the rules', RulesFound, { v: 1, findings: [] }],
  ])('reads %s', (_name, schema, document) => {
    expect(schema.parse(document)).toEqual(document);
    expect(schema.safeParse({ ...document, v: 2 }).success).toBe(false);
  });

  it.each([
    ['a session without an end', CliSession, { ...session, ended: {} }],
    ['a session whose id is a path', CliSession, { ...session, id: '../x' }],
    ['a session without its run', CliSession, { ...session, runId: undefined }],
    ['notes without a text', NotesText, { v: 1 }],
    ['a raw answer without a text', RawText, { v: 1 }],
    ['no findings of the rules', RulesFound, { v: 1 }],
  ])('does not read %s', (_name, schema, document) => {
    expect(schema.safeParse(document).success).toBe(false);
  });
});
