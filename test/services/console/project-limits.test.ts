/** The pages show the limits of a project's own sections, and not those of the installation. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readChangeRequest } from '../../../services/console/read/change-request.ts';
import { readNow } from '../../../services/console/read/now.ts';
import { readRecent } from '../../../services/console/read/recent.ts';
import { createActivity } from '../../../shared/store/board/activity.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createKnownPaths } from '../../../shared/store/known-paths.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import * as make from '../../shared/rounds/builders.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { type ConsoleStage, openConsole } from './console-stage.ts';

const OF = { forge: 'sim', projectId: 77, number: 5 };
const OTHER = { forge: 'sim', projectId: 78, number: 5 };
const SECTION =
  '[[project]]\nmatch = ["acme/shop"]\nrounds = { max = 2, max_runs = 5 }\nlimits.running_per_project = 4\n';

let server: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  server = await startRedis();
  stage = await openConsole({ redisUrl: server.url, more: SECTION });
  const { redis } = stage.source;
  const keys = createKeys('fixpoint');
  for (const of of [OF, OTHER]) {
    const state = make.state({ wanted: make.at(make.sha('head')) });
    await redis.set(keys.ofChangeRequest(of, 'state'), JSON.stringify(state));
    await createActivity(redis, keys).note(of, { isWorking: true, atMs: stage.clock.nowMs });
    await createSlots(redis, keys).acquire({ ...of, number: 9 }, 1, 0);
  }
  await createKnownPaths(redis, keys).save(OF, 'acme/shop');
});

afterAll(async () => {
  await stage?.close();
  await server?.stop();
});

const isThis = ({ of }: { readonly of: typeof OF }): boolean => of.projectId === OF.projectId;
const isOther = ({ of }: { readonly of: typeof OF }): boolean => of.projectId === OTHER.projectId;

test('on the page of now, of recent change requests and of one change request', async () => {
  const own = { rounds: { max: 2 }, runs: { max: 5 } };
  const { rows } = await readNow(stage.source);
  expect(rows.find(isThis)).toMatchObject({ status: own, why: expect.stringContaining('1 of 4 slots taken by 9') });
  expect((await readRecent(stage.source, 1)).rows.find(isThis)).toMatchObject({ status: own });
  expect(await readChangeRequest(stage.source, OF)).toMatchObject({ status: own });
  // Guard has not read this project yet.
  expect(rows.find(isOther)).toMatchObject({ status: { rounds: { max: 3 } } });
});
