/** One request to the simulator, and the ways to answer it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiProblem } from '../messages/api-problem.ts';
import { newEntry, type RequestEntry } from '../messages/log.ts';
import type { Step } from '../messages/reply.ts';
import type { Dialect } from './dialect.ts';
import type { ChatWorld } from './world.ts';

export type ChatCall = {
  readonly world: ChatWorld;
  readonly entry: RequestEntry;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects before the answer is complete. */
  readonly gone: AbortSignal;
  readonly begin: (status: number, contentType: string) => void;
  readonly finish: (outcome: RequestEntry['outcome']) => void;
};

export const openCall = (
  world: ChatWorld,
  {
    request,
    response,
    body,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: string },
): ChatCall => {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  const entry = newEntry(world, request, body);
  world.requests.push(entry);
  const finish: ChatCall['finish'] = (outcome) => {
    entry.outcome = outcome;
    if (outcome === 'aborted') world.aborted.push(entry.requestId);
    world.watch.notify();
  };
  const begin: ChatCall['begin'] = (status, contentType) => {
    entry.status = status;
    response.statusCode = status;
    response.setHeader('content-type', contentType);
    response.setHeader('x-request-id', entry.requestId);
    world.watch.notify();
  };
  return { world, entry, response, gone: controller.signal, begin, finish };
};

const errorBody = ({ status, type, message, errorCode }: ApiProblem, errors: Dialect['errors']): object => {
  switch (errors) {
    case 'object':
      return { error: { message, type, param: null, code: errorCode ?? null } };
    case 'list':
      return [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }];
    case 'string':
      return { error: message };
    case 'bare':
      return { object: 'error', message, type: 'BadRequestError', param: null, code: status };
    case 'detail':
      return { detail: message };
    default:
      return errors satisfies never;
  }
};

export const refuse = ({ world, entry, response, begin, finish }: ChatCall, problem: ApiProblem): void => {
  begin(problem.status, 'application/json');
  entry.problem = problem.message;
  for (const [name, value] of Object.entries(problem.headers ?? {})) response.setHeader(name, value);
  response.end(JSON.stringify(errorBody(problem, world.dialect.errors)));
  finish('refused');
};

export const sendJson = ({ response, begin, finish }: ChatCall, body: object): void => {
  begin(200, 'application/json');
  response.end(JSON.stringify(body));
  finish('complete');
};

export const sendRaw = (call: ChatCall, { status, headers = {}, body }: Extract<Step, { kind: 'raw' }>): void => {
  call.begin(status, 'text/html');
  for (const [name, value] of Object.entries(headers)) call.response.setHeader(name, value);
  call.response.end(body);
  call.finish(status < 400 ? 'complete' : 'refused');
};

export const resetCall = (
  { entry, response, begin, finish }: ChatCall,
  when: 'before-headers' | 'after-headers',
): void => {
  if (when === 'after-headers') {
    begin(200, entry.request?.stream === true ? 'text/event-stream' : 'application/json');
    response.flushHeaders();
  }
  // A little later, so that the headers were sent.
  setTimeout(() => response.destroy(), when === 'after-headers' ? 5 : 0);
  finish('reset');
};
