import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { ConversationStart, ConversationInput } from '../../../shared/agent/transcript.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createTranscripts, type Transcripts, transcriptsOf } from '../../../shared/store/transcripts.ts';
import { propertyRuns } from '../../support/deep.ts';
import { useRedis } from '../../support/use-redis.ts';
import { startOf } from '../agent/agent-run.ts';
import { call, reply, say } from '../agent/scripted-model.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const KEY = 'transcript:run';
const DAY_S = 86_400;

const open = (maxBytes = 1_000_000): Transcripts =>
  createTranscripts(redis, { keyOf: (id) => `transcript:${id}`, maxBytes, keepS: DAY_S });

const LONG = 'The diff, ü😀.\n'.repeat(1_000);
const start: ConversationStart = startOf([], { opening: [{ kind: 'text', text: LONG, cache: true }] });
const heard = (text: string): ConversationInput => ({
  kind: 'reply',
  reply: reply([say(text)]),
  spent: { ...NOTHING_SPENT },
});

const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('a stored transcript', () => {
  it('is not there before it was begun', async () => {
    expect(await open().load('run')).toBeNull();
  });

  it('comes back as it was told, long texts stored once', async () => {
    const store = open();
    const inputs = [heard(LONG), heard('short'), heard(LONG)];
    await store.begin('run', start);
    for (const [index, input] of inputs.entries()) await store.append('run', index, input);
    expect(await store.load('run')).toEqual({ v: 1, start, inputs });
    expect(await store.load('other')).toBeNull();
    const fields = await redis.hkeys(KEY);
    expect(fields.filter((field) => field.startsWith('blob:'))).toHaveLength(1);
    expect((await redis.hget(KEY, '0'))?.length).toBeLessThan(1_000);
  });

  it('takes the same input twice and another one for the same place never', async () => {
    const store = open();
    await store.begin('run', start);
    await store.begin('run', start);
    await store.append('run', 0, heard(LONG));
    await store.append('run', 0, heard(LONG));
    await expect(store.append('run', 0, heard('other'))).rejects.toMatchObject({
      code: 'TRANSCRIPT_CONFLICT',
      disposition: { kind: 'retry' },
      fields: { id: 'run', field: '0' },
    });
    await expect(store.begin('run', { ...start, boundary: 'b'.repeat(20) })).rejects.toThrow(
      code('TRANSCRIPT_CONFLICT'),
    );
    expect(await store.load('run')).toEqual({ v: 1, start, inputs: [heard(LONG)] });
  });

  it('has one writer per place, however many try at once', async () => {
    const stores = Array.from({ length: 8 }, () => open());
    await stores[0]?.begin('run', start);
    const tries = await Promise.allSettled(stores.map(async (store, at) => store.append('run', 0, heard(`${at}`))));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = tries.findIndex(({ status }) => status === 'fulfilled');
    expect((await open().load('run'))?.inputs).toEqual([heard(`${winner}`)]);
  });

  it('has a limit, which counts a text once, and refuses without leaving anything behind', async () => {
    const bytes = Buffer.byteLength(JSON.stringify(LONG));
    const store = open(bytes * 2);
    await store.begin('run', start);
    for (const index of [0, 1, 2]) await store.append('run', index, heard(LONG));
    const before = await redis.hgetall(KEY);
    await expect(store.append('run', 3, heard(`${LONG}!`.repeat(2)))).rejects.toMatchObject({
      code: 'TRANSCRIPT_TOO_LARGE',
      disposition: { kind: 'fail' },
      fields: { id: 'run', maxBytes: bytes * 2 },
    });
    expect(await redis.hgetall(KEY)).toEqual(before);
    expect(Number(before['bytes'])).toBe(
      Object.entries(before).reduce((sum, [field, text]) => sum + (field === 'bytes' ? 0 : Buffer.byteLength(text)), 0),
    );
  });

  it('is kept for the time that the operator sets, from its last input on', async () => {
    const keys = createKeys('test');
    const store = transcriptsOf(redis, keys, { keepDays: 3, maxBytes: 1_000_000 });
    await store.begin('run', start);
    const [only, ...others] = await redis.keys('*');
    expect(others).toEqual([]);
    expect(only).toBe(keys.transcript('run'));
    expect(await redis.ttl(keys.transcript('run'))).toBe(3 * DAY_S);
    await redis.expire(keys.transcript('run'), 10);
    await store.append('run', 0, heard('a'));
    expect(await redis.ttl(keys.transcript('run'))).toBe(3 * DAY_S);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its start is no JSON', async () => redis.hset(KEY, 'start', '{')],
    ['its start is of another shape', async () => redis.hset(KEY, 'start', '{"role":"poet"}')],
    ['an input is no JSON', async () => redis.hset(KEY, '0', 'x')],
    ['an input is of another shape', async () => redis.hset(KEY, '0', '{"kind":"dream"}')],
    ['a text is gone', async () => redis.hdel(KEY, ...(await blobFields()))],
    ['a text is no JSON', async () => redis.hset(KEY, (await blobFields())[0] ?? '', 'x')],
    ['a text is no text', async () => redis.hset(KEY, (await blobFields())[0] ?? '', '1')],
    ['a text is another one', async () => redis.hset(KEY, (await blobFields())[0] ?? '', '"x"')],
  ])('says so when %s, instead of telling another conversation', async (_name, damage) => {
    const store = open();
    await store.begin('run', start);
    await store.append('run', 0, heard(LONG));
    await damage();
    await expect(store.load('run')).rejects.toThrow(code('TRANSCRIPT_UNREADABLE'));
  });

  it('comes back the same whatever a model wrote, half characters included', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('$blob:', '$blob:a', '\ud800', `${LONG}\udc00`, '$blob:\ud83d', '__proto__', 'bytes'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        texts,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(texts, tie('value')),
      ),
    }));
    const inputs = fc.array(
      fc.oneof(
        texts.map(heard),
        value.map(
          (given): ConversationInput => ({
            kind: 'reply',
            reply: reply([call('Read', given, 'id')]),
            spent: { ...NOTHING_SPENT },
          }),
        ),
        texts.map(
          (notes): ConversationInput => ({
            kind: 'explored',
            answers: [{ callId: 'c', outcome: 'found', notes }],
            spent: { ...NOTHING_SPENT },
          }),
        ),
      ),
      { maxLength: 6 },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(inputs, async (given) => {
        const [store, id] = [open(), `run-${(run += 1)}`];
        await store.begin(id, start);
        for (const [index, input] of given.entries()) await store.append(id, index, input);
        // As text: an object with a field `__proto__` compares as equal to one without.
        expect(JSON.stringify((await store.load(id))?.inputs)).toBe(JSON.stringify(given));
      }),
      propertyRuns(60, 2_000),
    );
  });
});

const blobFields = async (): Promise<readonly string[]> =>
  (await redis.hkeys(KEY)).filter((field) => field.startsWith('blob:'));
