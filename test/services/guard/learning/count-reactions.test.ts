/** The marks are in a real Redis, the metrics are real; only the forge's answers are given. */
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { countReactions } from '../../../../services/guard/learning/count-reactions.ts';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import type { ReadsThumbs } from '../../../../shared/forge/port-reactions.ts';
import { createMetrics } from '../../../../shared/metrics.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import type { FindingMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { createCountedReactions } from '../../../../shared/store/learning/counted-reactions.ts';
import { useRedis } from '../../../support/use-redis.ts';
import * as make from '../../../shared/rounds/builders.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});
const keys = createKeys('test');
const { changeRequest: OF } = make.changeRequest();
const OTHER_BOT = 77;
beforeEach(async () => {
  await redis.del(keys.ofChangeRequest(OF, 'reactions'));
});

const marker = (name: string, patch: Partial<FindingMarker> = {}): FindingMarker => ({
  cr: make.KEY,
  review: 1,
  attempt: 1,
  run: make.runId('run'),
  kind: 'finding',
  id: 'F-001',
  fp: make.print(name),
  count: 0,
  stance: 'seeks_change',
  severity: 'P2',
  blocking: false,
  state: 'open',
  head: make.sha('head'),
  base: make.sha('base'),
  path: 'a.ts',
  side: 'new',
  startLine: 1,
  line: 1,
  title: name,
  rule: null,
  patch: null,
  ...patch,
});

const COMMENTS = [
  marker('by a rule', { rule: 'js-eval' }),
  marker('by a model', { model: 'some-model' }),
  marker('by the same rule', { rule: 'js-eval' }),
].map((each, index) => make.comment(`Text.\n\n${signMarker(each, make.SECRET)}`, { id: `${index + 1}` }));

const THUMBS: Readonly<Record<string, Awaited<ReturnType<ReadsThumbs['fetchThumbs']>>>> = {
  1: [
    { accountId: make.AUTHOR_ID, thumb: 'down' },
    { accountId: make.BOT_ID, thumb: 'up' },
    { accountId: OTHER_BOT, thumb: 'up' },
  ],
  2: [{ accountId: make.AUTHOR_ID, thumb: 'up' }],
  3: [{ accountId: make.AUTHOR_ID, thumb: 'down' }],
};

const givenThumbs: ReadsThumbs = { fetchThumbs: async (_of, id) => THUMBS[id] ?? [] };

const stage = () => {
  const metrics = createMetrics({ service: 'guard', processMetrics: false });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const counted = createCountedReactions(redis, keys);
  const count = async (thumbs: ReadsThumbs = givenThumbs, signal = new AbortController().signal) =>
    countReactions(
      { counted, metrics },
      {
        of: OF,
        forge: { thumbs, botIds: new Set([make.BOT_ID]), ignored: new Set([OTHER_BOT]) },
        fetchComments: async () => COMMENTS,
        markerSecrets: [make.SECRET],
        log,
        signal,
      },
    );
  const values = async () =>
    (await metrics.findingReactions.get()).values.map(({ value, labels: { forge, rule, model, thumb } }) =>
      [forge, rule, model, thumb, value].join(' '),
    );
  return { metrics, lines, count, values };
};

const ONCE = ['main js-eval none down 2', 'main none some-model up 1'];

const failing = (times: number): ReadsThumbs => {
  let left = times;
  return {
    fetchThumbs: async (of, id, signal) => {
      if (id === '3' && left-- > 0)
        throw new ForgeRequestError({
          code: 'FORGE_FORBIDDEN',
          message: 'no',
          disposition: { kind: 'fail' },
          fields: {},
        });
      return givenThumbs.fetchThumbs(of, id, signal);
    },
  };
};

describe('the thumbs of a change request that ended', () => {
  it('count by rule and model, without those of bots', async () => {
    const { metrics, count, values } = stage();
    await count();
    expect(await values()).toEqual(ONCE);
    expect(await metrics.registry.metrics()).toContain(
      'fixpoint_finding_reactions_total{forge="main",rule="js-eval",model="none",thumb="down",service="guard"} 2',
    );
  });

  it('count once, however often and by however many processes the end is seen', async () => {
    const [one, other] = [stage(), stage()];
    await Promise.all([one.count(), other.count()]);
    await one.count({ fetchThumbs: () => Promise.reject(new Error('asked again')) });
    const all = [await one.values(), await other.values()];
    expect(all.toSorted((a, b) => a.length - b.length)).toEqual([[], ONCE]);
  });

  it('count again only after Redis was lost', async () => {
    const { count, values } = stage();
    await count();
    await redis.flushall();
    await count();
    expect(await values()).toEqual(['main js-eval none down 4', 'main none some-model up 2']);
  });

  it('count not at all when one comment cannot be read, and whole at the next event', async () => {
    const { count, values, lines } = stage();
    const thumbs = failing(1);
    await count(thumbs);
    expect(await values()).toEqual([]);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['the reactions to findings could not be read']);
    await count(thumbs);
    expect(await values()).toEqual(ONCE);
  });

  it('are not asked for any more when the work is aborted', async () => {
    const { count, values } = stage();
    const abort = new AbortController();
    const asked: string[] = [];
    const thumbs: ReadsThumbs = {
      fetchThumbs: async (_of, id, signal) => {
        asked.push(id);
        abort.abort(new Error('stopped'));
        signal.throwIfAborted();
        return [];
      },
    };
    await expect(count(thumbs, abort.signal)).rejects.toThrow('stopped');
    expect([asked, await values()]).toEqual([['1'], []]);
    expect(await createCountedReactions(redis, keys).has(OF)).toBe(false);
  });
});
