/** Runs after the changes: checks Redis, runs `doctor`, and tests each webhook. Changes nothing on the forge. */
import { ingressForges } from '../../ingress/ingress-forge.ts';
import type { Finding } from '../doctor/check.ts';
import { examine } from '../doctor/doctor.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { settleContainerFiles } from './container-files.ts';
import type { SetupContext } from './context.ts';
import { type Tested, testDeliveries } from './delivery/send-test.ts';
import { sendBy } from '../../../shared/forge/admin/send.ts';
import { placeName } from './plan/facts.ts';
import { sameAddress } from './plan/plan-hooks.ts';
import type { ReadSetup } from './read-setup.ts';
import type { ReportedStep } from './report.ts';
import { openSetupRedis, type SetupRedis } from './setup-redis.ts';

export type Finished = {
  readonly redis: ReportedStep;
  /** Null if there are no containers. */
  readonly containers: ReportedStep | null;
  readonly doctor: readonly Finding[];
  readonly deliveries: readonly Tested[];
};

type Wish = {
  readonly read: ReadSetup;
  readonly context: SetupContext;
  /** If false, no Redis is started and no test is sent. */
  readonly mayAct: boolean;
  readonly tests: boolean;
  readonly waitMs: number;
};

export const finishSetup = async (wish: Wish): Promise<Finished> => {
  const { read, context, mayAct } = wish;
  const { settings, config, variables } = read.situation;
  if (settings === null) throw new UsageError(`${config.path} no longer exists; run setup again`);
  const containers = await settleContainerFiles(read, mayAct);
  const { searchPath } = context.machine;
  const redis = await openSetupRedis({ configPath: config.path, settings, variables, searchPath, starts: mayAct });
  try {
    const env = { ...variables, ...(redis.url === null ? {} : { [settings.redis.urlEnv]: redis.url }) };
    // Without a Redis, doctor would only repeat that its address is not set.
    const doctor =
      redis.url === null
        ? []
        : await examine(
            { path: config.path, env, service: null, machine: context.machine, callModel: false },
            context.signal,
          );
    return { redis: redisStep(redis), containers, doctor, deliveries: await deliveriesOf(wish, env) };
  } finally {
    await redis.stop();
  }
};

const redisStep = ({ url, text, fix }: SetupRedis): ReportedStep => ({
  about: 'redis',
  state: url === null && fix !== null ? 'blocked' : 'done',
  text,
  fix,
});

const deliveriesOf = async (
  { read, context, mayAct, tests, waitMs }: Wish,
  env: Readonly<Record<string, string>>,
): Promise<readonly Tested[]> => {
  const { connected, facts, situation } = read;
  if (!mayAct || !tests) return [];
  const config = loadOrThrow({ path: situation.config.path, env, needs: ['webhooks'] });
  const forge = ingressForges(config).find(({ id }) => id === connected.id);
  if (forge === undefined) return [];
  const all = hookTests(read);
  const wish = {
    forge,
    hookUrl: facts.hookUrl,
    ingress: config.ingress,
    tests: all.flatMap(({ name, request }) => (request === null ? [] : [{ name, request }])),
    send: sendBy(connected.http),
    waitMs,
  };
  const untested = all.filter(({ request }) => request === null).map(({ name }) => untestable(name));
  return [...(await testDeliveries(wish, context.signal)), ...untested];
};

const hookTests = ({ connected, facts }: ReadSetup) =>
  facts.places.flatMap(({ owner, listed }) => {
    const hook = listed.kind === 'hooks' ? listed.hooks.find(({ url }) => sameAddress(url, facts.hookUrl)) : undefined;
    if (hook === undefined) return [];
    return [{ name: placeName(owner), request: connected.administration.testHook(owner, hook.id) }];
  });

const untestable = (name: string): Tested => ({
  state: 'untested',
  text: `${name}: the forge has no API to test the webhook of an organisation; use "Test delivery" in its settings`,
  fix: null,
});
