/** One request to the simulator, and the ways to answer it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiProblem, errorBody } from './api-problem.ts';
import { newEntry, type RequestEntry } from './log.ts';
import type { Step } from './reply.ts';
import type { World } from './world.ts';

export type Call = {
  readonly world: World;
  readonly entry: RequestEntry;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects before the answer is complete. */
  readonly gone: AbortSignal;
  readonly begin: (status: number, contentType: string) => void;
  readonly sendJson: (body: object) => void;
  readonly refuse: (problem: ApiProblem) => void;
  readonly sendRaw: (step: Extract<Step, { kind: 'raw' }>) => void;
  readonly reset: (when: 'before-headers' | 'after-headers') => void;
  /** Records a violation: an unexpected request is an error of the test or of the tested code. */
  readonly unscripted: (why: string) => void;
  readonly finish: (outcome: RequestEntry['outcome']) => void;
};

export const ORGANIZATION = '5c0ffee0-0000-4000-8000-000000000001';

const watchClient = (response: ServerResponse, socketGone: AbortController): void => {
  response.once('close', () => {
    if (!response.writableFinished) socketGone.abort();
  });
};

export const openCall = (world: World, request: IncomingMessage, response: ServerResponse, body: string): Call => {
  const controller = new AbortController();
  watchClient(response, controller);
  const entry = newEntry(world, request, body);
  world.requests.push(entry);
  const finish: Call['finish'] = (outcome) => {
    entry.outcome = outcome;
    if (outcome === 'aborted') world.aborted.push(entry.requestId);
    world.watch.notify();
  };
  const begin: Call['begin'] = (status, contentType) => {
    entry.status = status;
    response.statusCode = status;
    const limits = world.limiter.headers();
    const common = {
      'content-type': contentType,
      'request-id': entry.requestId,
      'anthropic-organization-id': ORGANIZATION,
    };
    for (const [name, value] of Object.entries({ ...common, ...limits })) response.setHeader(name, value);
    world.watch.notify();
  };
  const base = { world, entry, response, gone: controller.signal, begin, finish };
  return { ...base, ...endings(base) };
};

type Base = Pick<Call, 'world' | 'entry' | 'response' | 'begin' | 'finish'>;

const endings = ({ world, entry, response, begin, finish }: Base): Omit<Call, keyof Base | 'gone'> => {
  const refuse: Call['refuse'] = (problem) => {
    begin(problem.status, 'application/json');
    entry.problem = problem.message;
    for (const [name, value] of Object.entries(problem.headers ?? {})) response.setHeader(name, value);
    response.end(JSON.stringify(errorBody(problem, entry.requestId)));
    finish('refused');
  };
  return {
    refuse,
    sendJson: (body) => {
      begin(200, 'application/json');
      response.end(JSON.stringify(body));
      finish('complete');
    },
    sendRaw: ({ status, headers = {}, body }) => {
      begin(status, 'text/html');
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(body);
      finish(status < 400 ? 'complete' : 'refused');
    },
    reset: (when) => {
      if (when === 'after-headers') {
        begin(200, entry.request?.stream === true ? 'text/event-stream; charset=utf-8' : 'application/json');
        response.flushHeaders();
      }
      // A little later, so that the headers were sent.
      setTimeout(() => response.destroy(), when === 'after-headers' ? 5 : 0);
      finish('reset');
    },
    unscripted: (why) => {
      world.violations.push(why);
      refuse({ status: 400, type: 'invalid_request_error', message: `simulator: ${why}` });
      finish('unscripted');
    },
  };
};
