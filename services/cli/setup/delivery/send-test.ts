/** Asks the forge for a test delivery of each webhook, and waits until it has arrived. */
import { AppError } from '../../../../shared/errors.ts';
import { hasForgeCode } from '../../../../shared/forge/errors.ts';
import { factsOf } from '../../../../shared/forge/kinds/forge-kind.ts';
import { delayOrAbort } from '../../../../shared/time-limit.ts';
import { type ListenAddress, listenText } from '../../../../shared/config/listen.ts';
import type { IngressForge } from '../../../ingress/ingress-forge.ts';
import type { AdminRequest } from '../../../../shared/forge/admin/administration.ts';
import type { SendRequest } from '../../../../shared/forge/admin/send.ts';
import { type DeliveryCounts, countDeliveries } from './count-deliveries.ts';
import { listenForDeliveries } from './listen.ts';
import { isPrivateHost } from './private-host.ts';

export type Tested = {
  readonly state: 'arrived' | 'missing' | 'untested';
  readonly text: string;
  readonly fix: string | null;
};

export type HookTest = { readonly name: string; readonly request: AdminRequest };

export type DeliveryWish = {
  readonly forge: IngressForge;
  readonly hookUrl: string;
  readonly ingress: ListenAddress;
  readonly tests: readonly HookTest[];
  readonly send: SendRequest;
  readonly waitMs: number;
};

const LOOK_MS = 250;

/** Stops at the first delivery that does not arrive, because the others would fail for the same reason. */
export const testDeliveries = async (wish: DeliveryWish, signal: AbortSignal): Promise<readonly Tested[]> => {
  if (wish.tests.length === 0) return [];
  const watch = await openWatch(wish, signal);
  if ('state' in watch) return [watch];
  const tested: Tested[] = [];
  try {
    for (const test of wish.tests) {
      const one = await testOne(wish, { test, watch }, signal);
      tested.push(one);
      if (one.state === 'missing') break;
    }
  } finally {
    await watch.close();
  }
  return tested;
};

type Watch = {
  readonly count: () => Promise<DeliveryCounts | null>;
  readonly who: string;
  readonly close: () => Promise<void>;
};

/** Watches the running ingress or, if none runs, a listener of setup itself. */
const openWatch = async ({ ingress, forge }: DeliveryWish, signal: AbortSignal): Promise<Watch | Tested> => {
  const counted = await countDeliveries(ingress, forge.id, signal);
  const at = listenText(ingress);
  if (counted.kind === 'other') return occupied(at);
  if (counted.kind === 'counts') {
    const count = async (): Promise<DeliveryCounts | null> => {
      const again = await countDeliveries(ingress, forge.id, signal);
      return again.kind === 'counts' ? again.counts : null;
    };
    return { count, who: `the ingress at ${at}`, close: async () => {} };
  }
  try {
    const { counts, close } = await listenForDeliveries(ingress, forge);
    return { count: async () => counts(), who: `setup itself, which listened at ${at}`, close };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === '') throw error;
    return {
      state: 'missing',
      text: `no test delivery was sent: nothing listens at ${at}, and setup cannot listen there (${code})`,
      fix: 'correct ingress.host and ingress.port, or start the services and run setup again',
    };
  }
};

const occupied = (at: string): Tested => ({
  state: 'missing',
  text: `no test delivery was sent: a program other than the ingress answers at ${at}`,
  fix: 'change ingress.port, or stop that program',
});

type One = { readonly test: HookTest; readonly watch: Watch };

const testOne = async (wish: DeliveryWish, { test, watch }: One, signal: AbortSignal): Promise<Tested> => {
  const before = await watch.count();
  if (before === null) return silent(watch);
  const problem = await sendTest(wish, test, signal);
  const deadline = performance.now() + (problem === null ? wish.waitMs : LOOK_MS);
  for (;;) {
    const now = await watch.count();
    if (now === null) return silent(watch);
    if (now.taken > before.taken)
      return { state: 'arrived', text: `${test.name}: a test delivery has arrived`, fix: null };
    if (now.refused > before.refused) return refused(wish, test);
    signal.throwIfAborted();
    if (performance.now() >= deadline) return problem ?? (await lost(wish, { test, watch }));
    await delayOrAbort(LOOK_MS, signal);
  }
};

/** Some forges wait for the webhook's answer and report it. The others send the test later. */
const sendTest = async (
  wish: DeliveryWish,
  { name, request }: HookTest,
  signal: AbortSignal,
): Promise<Tested | null> => {
  try {
    await wish.send(request, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    // A test whose outcome is unknown may still arrive.
    if (error.code === 'FORGE_UNKNOWN_OUTCOME') return null;
    const words = error.fields['explanation'];
    const said = typeof words === 'string' ? ` (answer: ${words})` : '';
    const text = `${name}: the forge could not deliver a test${said}`;
    if (!hasForgeCode(error, 'FORGE_REJECTED'))
      return { state: 'missing', text, fix: 'send a test in Settings, Webhooks' };
    return { state: 'missing', text, fix: await fixFor(wish, said) };
  }
};

const fixFor = async ({ hookUrl, forge }: DeliveryWish, said: string): Promise<string> => {
  const allow = `an administrator of the forge has to ${factsOf(forge.kind).allowHost}`;
  if (/is blocked/.test(said)) return allow;
  const reach = `check that the forge can reach ${hookUrl}: --public-url, the proxy and the firewall`;
  return (await isPrivateHost(new URL(hookUrl).hostname)) ? `${reach}; the address is private: ${allow}` : reach;
};

const silent = ({ who }: Watch): Tested => ({
  state: 'missing',
  text: `${who} has stopped answering`,
  fix: 'see the log of the ingress, and run setup again',
});

const refused = ({ hookUrl }: DeliveryWish, { name }: HookTest): Tested => ({
  state: 'missing',
  text: `${name}: a test delivery has arrived, but its signature is wrong: the webhook ${hookUrl} has a different secret`,
  fix: 'run setup again with --replace-webhooks; if the services are running, restart them after a change of .env',
});

const lost = async ({ hookUrl, waitMs, forge }: DeliveryWish, { test, watch }: One): Promise<Tested> => {
  const { hostname, origin } = new URL(hookUrl);
  const isPrivate = await isPrivateHost(hostname);
  return {
    state: 'missing',
    text: `${test.name}: no test delivery has reached ${watch.who} within ${Math.round(waitMs / 1000)} s; the forge sends it to ${hookUrl}`,
    fix: [
      `check that requests to ${origin} reach this machine (--public-url, proxy, firewall)`,
      ...(isPrivate
        ? [`${hostname} is a private address, which forges refuse by default: ${factsOf(forge.kind).allowHost}`]
        : []),
      'the project needs a commit',
    ].join('; '),
  };
};
