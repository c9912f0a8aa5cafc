import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseProjectScope } from '../../shared/config/projects/project-scope.ts';
import type { ForgeEventKind } from '../../shared/rounds/model/events.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Heads } from '../../shared/store/heads.ts';
import type { StatusPlace } from '../../shared/vocabulary/status-place.ts';
import type { CommitDelivery, EventDelivery } from '../../shared/webhooks/event.ts';
import { ANY_KIND, DIALECTS } from '../../shared/forge/kinds/forge-kind.ts';
import { dedupKeyOf } from '../../shared/webhooks/dedup-key.ts';
import { inSpan } from '../../shared/tracing/tracing.ts';
import { RefusedBodyError } from './body-store.ts';
import type { IngressForge } from './ingress-forge.ts';
import { type Delivery, type Classification, classifyDelivery } from './classify-delivery.ts';
import { createStoreWithin, type StoreEvent, type StoreWithin } from './store-event.ts';

export type WebhookDeps = {
  readonly forges: readonly IngressForge[];
  readonly storeEvent: StoreEvent;
  readonly heads: Pick<Heads, 'find'>;
  /** If the store does not respond within this time, the forge gets 503. */
  readonly storeTimeoutMs: number;
  readonly log: Logger;
  readonly webhookEvents: Metrics['webhookEvents'];
  readonly nowMs: () => number;
};

type Deps = WebhookDeps & { readonly within: StoreWithin };

type Answer = {
  readonly status: 200 | 202 | 400 | 401 | 415 | 503;
  readonly body: Readonly<Record<string, unknown>> | null;
};
type Accepted = Extract<Classification, { kind: 'accepted' }>;

type Hook = { Params: { forge: string } };

const UNREAD: Readonly<Record<number, string>> = {
  413: 'the body is too large; the sweep finds what changed',
  503: 'too many bodies are being read; the sweep finds what changed',
};

/** Begins a trace: a sender's own `traceparent` is ignored, because it is not authenticated. */
const REQUEST = {
  name: 'POST /webhooks/:forge',
  kind: 'server',
  parent: null,
  attributes: { 'http.request.method': 'POST', 'http.route': '/webhooks/:forge' },
} as const;

const EMPTY = Buffer.alloc(0);

/** Used in place of an unknown forge, so that status and response time do not reveal which forges are configured. */
const createDecoy = (): IngressForge => ({
  id: '(none)',
  kind: ANY_KIND,
  webhookSecrets: [randomBytes(32).toString('hex')],
  signingTokens: [],
  scope: parseProjectScope([]),
});

/**
 * Responds with 202 for a stored event, 200 for a duplicate or ignored event (with the reason), 401 without a body for an
 * unauthenticated sender, 400 or 415 for an unreadable body, and 503 if the event could not be stored. Forges disable hooks
 * that get errors, so events that need no action get 200.
 */
export const addWebhookRoute = (app: FastifyInstance, given: WebhookDeps): void => {
  const deps = { ...given, within: createStoreWithin(given.storeTimeoutMs) };
  const forges = new Map<string, IngressForge>(deps.forges.map((forge) => [forge.id, forge]));
  const decoy = createDecoy();
  for (const { id } of deps.forges) countFromZero(deps.webhookEvents, id);
  /** Responds with 200 to an unreadable request, because GitLab never resends and disables a hook that gets no 2xx. */
  const ignoreUnread = (error: FastifyError, request: FastifyRequest<Hook>, reply: FastifyReply): void => {
    const forge = forges.get(request.params.forge) ?? decoy;
    const reason = error instanceof RefusedBodyError ? UNREAD[error.statusCode] : undefined;
    const unread = { headers: request.headers, rawBody: EMPTY, receivedAtMs: deps.nowMs() };
    if (reason === undefined || !isLikely(forge, classifyDelivery(forge, unread))) throw error;
    deps.webhookEvents.inc({ forge: forge.id, kind: 'none', outcome: 'ignored' });
    deps.log.warn({ forge: forge.id, reason }, 'delivery ignored');
    send(reply.header('connection', 'close'), { status: 200, body: { ignored: reason } });
  };
  app.post<Hook>('/webhooks/:forge', { errorHandler: ignoreUnread }, async (request, reply) => {
    const forge = forges.get(request.params.forge) ?? decoy;
    const rawBody = Buffer.isBuffer(request.body) ? request.body : EMPTY;
    const delivery = { headers: request.headers, rawBody, receivedAtMs: deps.nowMs() };
    const answer = await inSpan(REQUEST, async (span) => {
      const answered = await answerDelivery(deps, forge, delivery);
      span.set({ 'http.response.status_code': answered.status, 'fixpoint.forge': forge.id });
      return answered;
    });
    return send(reply, answer);
  });
};

const COUNTED_FROM_ZERO = ['opened', 'reopened', 'pushed', 'ready'] as const satisfies readonly ForgeEventKind[];

/** Without a first value of 0, an increase from nothing to the first event would not show. */
const countFromZero = (webhookEvents: Metrics['webhookEvents'], forge: string): void => {
  for (const kind of COUNTED_FROM_ZERO) webhookEvents.inc({ forge, kind, outcome: 'accepted' }, 0);
};

/** A signature cannot be checked without the body, so an attacker who forges headers gets 200 for a body that is not read. */
const isLikely = ({ kind: forgeKind }: IngressForge, judged: Classification): boolean =>
  judged.kind !== 'unauthenticated' ||
  (DIALECTS[forgeKind].mayMistakeSignature && judged.reason === 'signature_mismatch');

const send = (reply: FastifyReply, { status, body }: Answer): FastifyReply => {
  reply.code(status);
  return body === null ? reply.send() : reply.send(body);
};

const answerDelivery = async (deps: Deps, forge: IngressForge, delivery: Delivery): Promise<Answer> => {
  const judgement = classifyDelivery(forge, delivery);
  if (judgement.kind === 'accepted') return answerAccepted(deps, forge, delivery, judgement);
  if (judgement.kind === 'of_commit') return answerOfCommit(deps, forge, delivery, judgement.delivery);
  const { kind, reason } = judgement;
  const outcome = kind === 'ignored' ? 'ignored' : 'refused';
  deps.webhookEvents.inc({ forge: forge.id, kind: 'none', outcome });
  const fields = { forge: forge.id, reason };
  switch (kind) {
    case 'ignored':
      deps.log.info(fields, 'delivery ignored');
      return { status: 200, body: { ignored: reason } };
    case 'unauthenticated':
      deps.log.warn(fields, 'delivery not authenticated');
      return { status: 401, body: null };
    case 'encoded':
      deps.log.warn(fields, 'delivery could not be parsed');
      return { status: 415, body: { error: reason } };
    case 'malformed':
      deps.log.warn(fields, 'delivery could not be parsed');
      return { status: 400, body: { error: reason } };
    default:
      return kind satisfies never;
  }
};

const UNKNOWN_HEAD = 'no change request is known to have this head';

/** Stores the events of one commit without the delivery id, which would make all but the first of them duplicates. */
const answerOfCommit = async (
  deps: Deps,
  forge: IngressForge,
  delivery: Delivery,
  { projectId, head, event, projectPath, contentHash }: CommitDelivery,
): Promise<Answer> => {
  const found = await findWithin(deps, { forge: forge.id, projectId, head });
  if (found === null) return { status: 503, body: { error: 'the event could not be stored' } };
  const about = { head: null, noteId: null, requestedReviewerId: null, threadHint: null };
  let answer: Answer = { status: 200, body: { ignored: UNKNOWN_HEAD } };
  for (const number of found) {
    const one: EventDelivery = {
      kind: 'event',
      event: { ...event, ...about, projectId, number },
      projectPath,
      contentHash,
    };
    const next = await answerAccepted(deps, forge, delivery, { kind: 'accepted', delivery: one, deliveryId: null });
    if (next.status === 503) return next;
    if (answer.status !== 202) answer = next;
  }
  if (found.length === 0) deps.log.info({ forge: forge.id, project: projectId, headSha: head }, UNKNOWN_HEAD);
  return answer;
};

/** Returns null if the store does not respond in time. */
const findWithin = async (deps: WebhookDeps, place: StatusPlace): Promise<readonly number[] | null> => {
  const late = new AbortController();
  try {
    const giveUp = pause(deps.storeTimeoutMs, null, { signal: late.signal });
    return await Promise.race([deps.heads.find(place), giveUp]);
  } catch (err) {
    deps.log.error({ forge: place.forge, err }, 'the change requests of a commit could not be read');
    return null;
  } finally {
    late.abort();
  }
};

const answerAccepted = async (
  deps: Deps,
  forge: IngressForge,
  { receivedAtMs }: Delivery,
  { delivery, deliveryId }: Accepted,
): Promise<Answer> => {
  const { event } = delivery;
  const stored = { forge: forge.id, deliveryId, dedupKey: dedupKeyOf(forge.id, delivery), event, receivedAtMs };
  const outcome = await deps.within(deps.storeEvent, stored);
  const { kind, projectId: project, number: changeRequest, head: headSha } = event;
  const fields = { forge: forge.id, project, changeRequest, kind, headSha };
  const count = (name: string): void => deps.webhookEvents.inc({ forge: forge.id, kind, outcome: name });
  switch (outcome.kind) {
    case 'stored':
      count('accepted');
      deps.log.info(fields, 'delivery stored');
      return { status: 202, body: { accepted: kind } };
    case 'duplicate':
      count('duplicate');
      deps.log.info(fields, 'delivery already known');
      return { status: 200, body: { ignored: 'the event is already known' } };
    case 'unavailable':
      count('unavailable');
      deps.log.error({ ...fields, err: outcome.cause }, 'delivery could not be stored');
      return { status: 503, body: { error: 'the event could not be stored' } };
    default:
      return outcome satisfies never;
  }
};
