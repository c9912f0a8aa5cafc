import { setTimeout as sleep } from 'node:timers/promises';
import { request as send } from 'undici';
import { hookHeaders } from './hook-headers.ts';
import { coarseName } from './hook-events.ts';
import type { Delivery, SimHook, SimRepo, World } from './world.ts';
import { nextId, touched } from './world.ts';

/** `[webhook] DELIVER_TIMEOUT` (Forgejo modules/setting/webhook.go, forges.md 4.4). */
const deliverTimeoutMs = 5_000;

const PRIVATE = /^(?:localhost|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|\[::1\])$/;

const nextUuid = (world: World): string => {
  const counter = nextId(world, 'delivery').toString(16).padStart(12, '0');
  return `00000000-0000-4000-8000-${counter}`;
};

const prepare = (world: World, hook: SimHook, event: string, payload: string): Delivery => {
  const uuid = nextUuid(world);
  const { product } = world.traits;
  const { secret, contentType } = hook;
  return {
    uuid,
    hookId: hook.id,
    url: hook.url,
    event: coarseName(event),
    eventType: event,
    headers: hookHeaders({ product, event, uuid, secret, payload, contentType }),
    body: contentType === 'json' ? payload : `payload=${encodeURIComponent(payload)}`,
    status: null,
    outcome: 'sending',
  };
};

/** One attempt with a timeout of five seconds; no retry and no auto-disable (Forgejo services/webhook/deliver.go). */
const attempt = async (world: World, delivery: Delivery): Promise<void> => {
  // Tasks in a worker queue have no order (forges.md 4.4).
  if (world.hookJitterMs > 0) await sleep(world.random() * world.hookJitterMs, undefined, { ref: false });
  try {
    // Seen only in the log of deliveries of the web page (services/webhook/deliver.go, modules/hostmatcher/http.go).
    if (!world.localHooksAllowed && PRIVATE.test(new URL(delivery.url).hostname))
      throw new Error('webhook can only call allowed HTTP servers');
    const answer = await send(delivery.url, {
      method: 'POST',
      headers: { ...delivery.headers },
      body: delivery.body,
      signal: AbortSignal.timeout(deliverTimeoutMs),
    });
    delivery.status = answer.statusCode;
    delivery.outcome = 'answered';
    await answer.body.dump();
  } catch {
    // The real forge only logs the failure; the delivery log keeps the outcome.
    delivery.outcome = 'failed';
  }
  touched(world);
};

const start = (world: World, delivery: Delivery): void => {
  world.deliveries.push(delivery);
  if (world.deliveryFilter(delivery) === 'drop') {
    delivery.outcome = 'dropped';
    return touched(world);
  }
  const running = attempt(world, delivery).finally(() => world.openDeliveries.delete(running));
  world.openDeliveries.add(running);
};

/** One delivery to one hook, whatever its events are and although it is inactive (PrepareTestWebhook). */
export const sendTest = (world: World, hook: SimHook, payload: unknown): void =>
  start(world, prepare(world, hook, 'push', JSON.stringify(payload, null, 2)));

/** Hooks of a repository and of its organisation (forges.md 4.4). */
const hooksOf = (repo: SimRepo): readonly SimHook[] => [...repo.hooks, ...(repo.owner.organization?.hooks ?? [])];

/** Starts a delivery to every subscribed hook, each with its own UUID, without waiting. */
export const fireHooks = (world: World, repo: SimRepo, event: string, payload: unknown): void => {
  const text = JSON.stringify(payload, null, 2);
  for (const hook of hooksOf(repo))
    if (hook.active && hook.events.has(event)) start(world, prepare(world, hook, event, text));
};

/** A manual replay: the same payload with a new UUID (Forgejo models/webhook/hooktask.go, forges.md 4.1). */
export const replayDelivery = (world: World, uuid: string): void => {
  const delivery = world.deliveries.find((candidate) => candidate.uuid === uuid);
  const hook = world.repos.flatMap(hooksOf).find((candidate) => candidate.id === delivery?.hookId);
  if (delivery === undefined || hook === undefined) throw new Error(`no delivery ${uuid} of a hook that still exists`);
  const payload =
    hook.contentType === 'json' ? delivery.body : decodeURIComponent(delivery.body.slice('payload='.length));
  start(world, prepare(world, hook, delivery.eventType, payload));
};
