import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../shared/logger.ts';
import type { MailOfProjects } from '../../shared/mailbox/mail-of-projects.ts';
import type { MessageStore } from '../../shared/mailbox/message-store.ts';
import { MessageId } from '../../shared/protocol/envelope.ts';
import { sameSecret } from '../../shared/webhooks/same-secret.ts';
import { findMail, readMail } from './read-mail.ts';
import { type Receipt, type ReceiveDeps, receiveMessage, type Speaker } from './receive-message.ts';

export type KnownClient = Speaker & { readonly token: string };

export type MessagesDeps = ReceiveDeps & {
  readonly clients: readonly KnownClient[];
  readonly messageStore: Pick<MessageStore, 'send' | 'read' | 'find'>;
  readonly mail: Pick<MailOfProjects, 'read' | 'find'>;
};

type Answer = { readonly status: 200 | 202 | 400 | 401 | 403 | 404 | 409 | 422 | 503; readonly body: object | null };

export const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** Adds no routes if there are no clients; requests then get 404. */
export const addMessagesRoutes = (app: FastifyInstance, deps: MessagesDeps): void => {
  if (deps.clients.length === 0) return;
  app.post('/messages', async (request, reply) => send(reply, await answerPost(deps, request)));
  app.get<{ Querystring: { to?: unknown; after?: unknown } }>('/messages', async (request, reply) =>
    send(reply, await answerGet(deps, request)),
  );
};

const send = async (reply: FastifyReply, { status, body }: Answer): Promise<FastifyReply> => {
  reply.code(status).header('cache-control', 'no-store');
  return body === null ? reply.send() : reply.send(body);
};

/** Compares the token with that of every client, so that the response time reveals nothing. */
const findClient = ({ clients, log }: MessagesDeps, { headers }: FastifyRequest): KnownClient | null => {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const offered = token === '' ? randomBytes(32).toString('hex') : token;
  const matching = clients.filter((client) => sameSecret(offered, client.token));
  if (matching.length === 0) log.warn({}, 'message not authenticated');
  return matching[0] ?? null;
};

const UNBELIEVED: Answer = { status: 401, body: null };

const unavailable = (log: Logger, err: unknown): Answer => {
  log.error({ err }, 'messages could not be stored or read');
  return { status: 503, body: { error: 'messages cannot be stored or read at the moment' } };
};

const answerPost = async (deps: MessagesDeps, request: FastifyRequest): Promise<Answer> => {
  const client = findClient(deps, request);
  if (client === null) return UNBELIEVED;
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  try {
    return answerOf(await receiveMessage(deps, client, text));
  } catch (err) {
    return unavailable(deps.log, err);
  }
};

const answerOf = (receipt: Receipt): Answer => {
  switch (receipt.kind) {
    case 'malformed':
      return { status: 422, body: { error: 'the message is not valid', problems: receipt.problems } };
    case 'forbidden':
      return { status: 403, body: { error: receipt.reason } };
    case 'refused':
      return { status: 409, body: { error: receipt.reason, expected: receipt.expected } };
    case 'accepted':
      return { status: 202, body: { accepted: receipt.id } };
    case 'repeated':
      return { status: 200, body: { repeated: receipt.id } };
    default:
      return receipt satisfies never;
  }
};

const CURSOR = /^\d{1,16}-\d{1,16}$/;

type After =
  | { readonly kind: 'from'; readonly cursor: string | null }
  | { readonly kind: 'wrong'; readonly answer: Answer };

/** `after` is a cursor or a message id; a value that looks like a cursor is treated as a cursor. */
const startOf = async (deps: MessagesDeps, client: KnownClient, after: unknown): Promise<After> => {
  if (after === undefined) return { kind: 'from', cursor: null };
  if (typeof after === 'string' && CURSOR.test(after)) return { kind: 'from', cursor: after };
  const id = MessageId.safeParse(after);
  if (!id.success) {
    const error = 'after is neither a cursor nor a message id; expected one from an earlier answer';
    return { kind: 'wrong', answer: { status: 400, body: { error } } };
  }
  const cursor = await findMail(deps, client, id.data);
  if (cursor !== null) return { kind: 'from', cursor };
  const error = `after is not the id of a message that is kept for ${client.name}`;
  return { kind: 'wrong', answer: { status: 404, body: { error } } };
};

const answerGet = async (
  deps: MessagesDeps,
  request: FastifyRequest<{ Querystring: { to?: unknown; after?: unknown } }>,
): Promise<Answer> => {
  const client = findClient(deps, request);
  if (client === null) return UNBELIEVED;
  const { to, after } = request.query;
  if (to !== client.name) return { status: 403, body: { error: `this token is for ${client.name} only` } };
  try {
    const start = await startOf(deps, client, after);
    return start.kind === 'wrong' ? start.answer : { status: 200, body: await readMail(deps, client, start.cursor) };
  } catch (err) {
    return unavailable(deps.log, err);
  }
};
