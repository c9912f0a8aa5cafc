import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLastRun } from '../../../../services/cli/replay/last-run.ts';
import { Brief } from '../../../../shared/rounds/model/brief.ts';
import { createDocumentStore } from '../../../../shared/store/documents.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { RunId } from '../../../../shared/vocabulary/ids.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';

const KEYS = createKeys('fixpoint');
const SHA = 'a'.repeat(40);

let server: TestRedis;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server?.stop());

const at = (number: number, projectId = 4) => ({ forge: 'sim', projectId, number });

const briefOf = (runId: RunId, of: ReturnType<typeof at>): Brief =>
  Brief.parse({
    v: 1,
    changeRequest: of,
    runId,
    head: SHA,
    targetHead: SHA,
    targetBranch: 'main',
    title: '',
    description: '',
    author: '',
    git: { url: '', headRef: '' },
    review: 1,
    attempt: 1,
    stage: 'open',
    openThreads: [],
    closedThreads: [],
    previous: null,
  });

test('the newest run of the change request is found among many of others', async () => {
  const redis = connectRedis(server.url, 'worker');
  try {
    const store = createDocumentStore(redis, Brief);
    const save = async (name: string, of: ReturnType<typeof at>, leftS: number): Promise<void> => {
      const runId = RunId.parse(name.padEnd(12, '0'));
      await store.save(KEYS.ofRun(runId, 'brief'), briefOf(runId, of));
      await redis.expire(KEYS.ofRun(runId, 'brief'), leftS);
    };
    await save('middle', at(7), 200);
    await save('newest', at(7), 300);
    await save('oldest', at(7), 100);
    await save('other', at(8), 400);
    await save('project', at(7, 5), 500);
    for (let index = 0; index < 1_200; index += 1) await save(`x${index}`, at(1_000 + index), 600);
    await redis.set(KEYS.ofRun(RunId.parse('broken000000'), 'brief'), '{"v":2}');
    const last = async (of: ReturnType<typeof at>) =>
      findLastRun(redis, KEYS, { of, signal: AbortSignal.timeout(20_000) });
    expect(await last(at(7))).toBe('newest000000');
    expect(await last(at(7, 5))).toBe('project00000');
    expect(await last(at(9))).toBeNull();
    await expect(findLastRun(redis, KEYS, { of: at(7), signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  } finally {
    redis.disconnect();
  }
});
