/** HTTP server: checks size and key, and routes requests. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { checkAuth } from './auth.ts';
import { type Call, openCall } from './call.ts';
import { checkPrompt, createMessage } from './create-message.ts';
import { listModels, showModel } from './list-models.ts';
import { parseRequest } from './parse-request.ts';
import { CountRequest } from './request.ts';
import type { World } from './world.ts';

/** Counts tokens without a script, cost or effect on the cache. */
const countRequest = (call: Call): void => {
  const parsed = parseRequest(CountRequest, call.entry.body);
  if (parsed.kind === 'problem') return call.refuse(parsed.problem);
  const checked = checkPrompt(call.world, parsed.value);
  if (checked.kind === 'problem') return call.refuse(checked.problem);
  call.sendJson({ input_tokens: checked.tokens });
};

const route = async (call: Call): Promise<void> => {
  const { method, path } = call.entry;
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  if (method === 'POST' && pathname === '/v1/messages') return createMessage(call);
  if (method === 'POST' && pathname === '/v1/messages/count_tokens') return countRequest(call);
  if (method === 'GET' && pathname === '/v1/models') return listModels(call, searchParams);
  const model = /^\/v1\/models\/(?<id>[^/]+)$/.exec(pathname)?.groups?.['id'];
  if (method === 'GET' && model !== undefined) return showModel(call, decodeURIComponent(model));
  call.world.violations.push(`no such endpoint: ${method} ${pathname}`);
  call.refuse({ status: 404, type: 'not_found_error', message: 'Not Found' });
};

const handle = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const bytes = await buffer(request);
  const call = openCall(world, request, response, bytes.toString('utf8'));
  if (bytes.length > world.maxBodyBytes) {
    const message = `Request exceeds the maximum size of ${world.maxBodyBytes} bytes`;
    return call.refuse({ status: 413, type: 'request_too_large', message });
  }
  const refused = checkAuth(request.headers, world.apiKeys);
  if (refused !== null) return call.refuse(refused);
  await route(call);
};

/** Longer than a client keeps idle connections, so that none is closed while a request is being sent. */
const KEEP_ALIVE_MS = 120_000;

export const createApi = (world: World): Server =>
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(world, request, response).catch((error: unknown) => {
      // A client that disconnects while sending is not a bug of the simulator.
      if (request.destroyed && !request.complete) return;
      world.violations.push(
        `the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      response.destroy();
      world.watch.notify();
    });
  });
