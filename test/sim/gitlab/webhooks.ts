import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { request as send } from 'undici';
import type { Delivery } from '../forgejo/world.ts';
import { isBlocked } from './blocked-addresses.ts';
import { isExecutable, noteFailure, noteSuccess } from './hook-health.ts';
import { hookHeaders } from './hook-headers.ts';
import { nextUuid, touched } from './log.ts';
import { groupsAbove } from './paths.ts';
import type { HookFlag, SimHook, SimProject, SystemHookFlag, World } from './world.ts';

/** `webhook_timeout` (GL config/initializers/1_settings.rb, forges.md 2.3). */
const timeoutMs = 10_000;

/** `REQUEST_BODY_SIZE_LIMIT` (GL app/services/web_hook_service.rb): 25 MiB. */
const requestBodySizeLimit = 25 * 1024 * 1024;

export const origin = new AsyncLocalStorage<{ readonly eventUuid: string | null }>();

export type HookEvent = {
  readonly flag: HookFlag;
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

type Prepared = { readonly hook: SimHook; readonly delivery: Delivery };

type Message = { readonly name: string; readonly body: string; readonly key: string; readonly eventUuid: string };

const prepare = (world: World, hook: SimHook, message: Message): Prepared => {
  const headers = hookHeaders({
    event: message.name,
    instance: world.publicUrl,
    version: world.version,
    idempotencyKey: message.key,
    eventUuid: message.eventUuid,
    requestUuid: nextUuid(world),
    token: hook.token,
    signingToken: hook.signingToken,
    body: message.body,
    atMs: world.clock(),
  });
  const delivery: Delivery = {
    uuid: message.key,
    hookId: hook.id,
    url: hook.url,
    event: message.name,
    eventType: message.name,
    headers,
    body: message.body,
    status: null,
    outcome: 'sending',
  };
  return { hook, delivery };
};

const isGood = ({ status }: Delivery): boolean => status !== null && status >= 200 && status < 400;

/** One attempt. Only 2xx and 3xx are successes; a failure counts against the hook and is never retried. */
const attempt = async (world: World, { hook, delivery }: Prepared): Promise<void> => {
  // Sidekiq jobs have no order (forges.md 2.3).
  if (world.hookJitterMs > 0) await sleep(world.random() * world.hookJitterMs, undefined, { ref: false });
  try {
    if (isBlocked(world, delivery.url)) throw new Error('URL is blocked');
    const answer = await send(delivery.url, {
      method: 'POST',
      headers: { ...delivery.headers },
      body: delivery.body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    delivery.status = answer.statusCode;
    delivery.outcome = 'answered';
    await answer.body.dump();
  } catch {
    // GitLab only logs the failure; the delivery log keeps the outcome.
    delivery.outcome = 'failed';
  }
  if (isGood(delivery)) noteSuccess(hook);
  else noteFailure(world, hook);
  touched(world);
};

const start = (world: World, prepared: Prepared): void => {
  const { delivery } = prepared;
  world.deliveries.push(delivery);
  if (world.deliveryFilter(delivery) === 'drop') {
    delivery.outcome = 'dropped';
    return touched(world);
  }
  const running = attempt(world, prepared).finally(() => world.openDeliveries.delete(running));
  world.openDeliveries.add(running);
};

/** A hook is not called for events that its own call caused (recursion detection, forges.md 2.3). */
const calledBefore = (world: World, eventUuid: string, hook: SimHook): boolean => {
  const called = world.called.get(eventUuid) ?? new Set<number>();
  world.called.set(eventUuid, called);
  if (called.has(hook.id)) return true;
  called.add(hook.id);
  return false;
};

export const hooksOf = (project: SimProject): readonly SimHook[] => [
  ...project.hooks,
  ...groupsAbove(project).flatMap((group) => group.hooks),
];

type Wanted = Pick<Message, 'name' | 'body'> & { readonly flag: HookFlag | SystemHookFlag };

/**
 * Each delivery has its own idempotency key (forges.md 2.3), and its own event UUID unless the causing request carried
 * one (GL lib/gitlab/web_hooks/recursion_detection/uuid.rb).
 */
const startAll = (world: World, hooks: readonly SimHook[], { name, body, flag }: Wanted): void => {
  const carried = origin.getStore()?.eventUuid ?? null;
  // GL app/services/web_hook_service.rb: larger payloads are not sent.
  if (Buffer.byteLength(body) > requestBodySizeLimit) return;
  for (const hook of hooks) {
    if (!hook.events.has(flag) || !isExecutable(world, hook)) continue;
    const eventUuid = carried ?? nextUuid(world);
    if (calledBefore(world, eventUuid, hook)) continue;
    start(world, prepare(world, hook, { name, body, key: nextUuid(world), eventUuid }));
  }
};

export type SystemEvent = {
  readonly flag: SystemHookFlag;
  readonly event: 'push' | 'merge_request' | 'repository_update';
  readonly payload: Readonly<Record<string, unknown>>;
};

/** For all projects; `X-Gitlab-Event` is the same for all events (GL app/services/web_hook_service.rb `hook_to_event`). */
export const fireSystemHooks = (world: World, { flag, payload }: SystemEvent): void =>
  startAll(world, world.instance.hooks, { name: 'System Hook', body: JSON.stringify(payload), flag });

/** Same body as for the project's hooks (GL app/models/project.rb `execute_hooks`). */
const tellSystemHooks = (world: World, { flag, payload }: HookEvent): void => {
  if (flag === 'push_events') fireSystemHooks(world, { flag, payload, event: 'push' });
  if (flag === 'merge_requests_events') fireSystemHooks(world, { flag, payload, event: 'merge_request' });
};

/** Starts deliveries to project, group and system hooks that subscribe to the event, without waiting for them. */
export const fireHooks = (world: World, project: SimProject, event: HookEvent): void => {
  const { flag, name, payload } = event;
  startAll(world, hooksOf(project), { name, body: JSON.stringify(payload), flag });
  tellSystemHooks(world, event);
};

/** Sends one payload to one hook, whatever its events and its state are, and waits for the answer (`force: true` in GitLab). */
export const sendTest = async (
  world: World,
  hook: SimHook,
  test: { readonly name: string; readonly body: string },
): Promise<Delivery> => {
  const prepared = prepare(world, hook, { ...test, key: nextUuid(world), eventUuid: nextUuid(world) });
  world.deliveries.push(prepared.delivery);
  if (world.deliveryFilter(prepared.delivery) === 'drop') prepared.delivery.outcome = 'dropped';
  else await attempt(world, prepared);
  return prepared.delivery;
};

export const wasGood = isGood;

/** "Resend": the same key and body, new request and event UUIDs (forges.md 2.1). */
export const replayDelivery = (world: World, uuid: string): void => {
  const delivery = world.deliveries.find((candidate) => candidate.uuid === uuid);
  const hook = [...world.projects.flatMap(hooksOf), ...world.instance.hooks].find(
    (candidate) => candidate.id === delivery?.hookId,
  );
  if (delivery === undefined || hook === undefined) throw new Error(`no delivery ${uuid} of a hook that still exists`);
  const { event: name, body } = delivery;
  start(world, prepare(world, hook, { name, body, key: uuid, eventUuid: nextUuid(world) }));
};
