import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../shared/logger.ts';
import type { PostOffice } from '../../shared/mailbox/post-office.ts';
import { sameSecret } from '../../shared/webhooks/same-secret.ts';
import { type Receipt, type ReceiveDeps, receiveMessage, type Speaker } from './receive-message.ts';

export type KnownClient = Speaker & { readonly token: string };

export type MessagesDeps = ReceiveDeps & {
  readonly clients: readonly KnownClient[];
  readonly office: Pick<PostOffice, 'send' | 'read'>;
};

type Answer = { readonly status: 200 | 202 | 400 | 401 | 403 | 409 | 422 | 503; readonly body: object | null };

const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** Without a client there are no such routes: the answer is that of any unknown address. */
export const addMessagesRoutes = (app: FastifyInstance, deps: MessagesDeps): void => {
  if (deps.clients.length === 0) return;
  app.addContentTypeParser(YAML_TYPES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/messages', async (request, reply) => send(reply, await answerPost(deps, request)));
  app.get<{ Querystring: { to?: unknown; after?: unknown } }>('/messages', async (request, reply) =>
    send(reply, await answerGet(deps, request)),
  );
};

const send = async (reply: FastifyReply, { status, body }: Answer): Promise<FastifyReply> => {
  reply.code(status).header('cache-control', 'no-store');
  return body === null ? reply.send() : reply.send(body);
};

/** Compared with every client's, so that the time tells nobody how far a guess got or whose token it was near to. */
const findClient = ({ clients, log }: MessagesDeps, { headers }: FastifyRequest): KnownClient | null => {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const offered = token === '' ? randomBytes(32).toString('hex') : token;
  const matching = clients.filter((client) => sameSecret(offered, client.token));
  if (matching.length === 0) log.warn({}, 'message not believed');
  return matching[0] ?? null;
};

const UNBELIEVED: Answer = { status: 401, body: null };

const unavailable = (log: Logger, err: unknown): Answer => {
  log.error({ err }, 'messages could not be stored or read');
  return { status: 503, body: { error: 'messages cannot be stored or read now' } };
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

const answerGet = async (
  deps: MessagesDeps,
  request: FastifyRequest<{ Querystring: { to?: unknown; after?: unknown } }>,
): Promise<Answer> => {
  const client = findClient(deps, request);
  if (client === null) return UNBELIEVED;
  const { to, after = null } = request.query;
  if (to !== client.name) return { status: 403, body: { error: `this token reads what is for ${client.name} only` } };
  if (after !== null && (typeof after !== 'string' || !CURSOR.test(after))) {
    return { status: 400, body: { error: 'after is no cursor; expected one that an earlier answer gave' } };
  }
  try {
    const { forge, projectId, name } = client;
    const messages = await deps.office.read({ forge, projectId, name }, after);
    return { status: 200, body: { messages, next: messages.at(-1)?.cursor ?? after } };
  } catch (err) {
    return unavailable(deps.log, err);
  }
};
