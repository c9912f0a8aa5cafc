import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { createDispatcher } from '../network/outgoing.ts';
import type { ProxySetting } from '../vocabulary/proxy-setting.ts';
import {
  aborted,
  badAnswer,
  type CallFacts,
  refusalError,
  type Refusal,
  unavailable,
  unknownAnswer,
} from './answer.ts';
import { type Clock, systemClock } from './clock.ts';
import { ForgeUnknownOutcomeError } from './errors.ts';
import { type ApiPath, type Query, withQuery } from './path.ts';
import { type OnRequest, seeRequest } from './request-seen.ts';
import {
  decideRetry,
  DEFAULT_RETRY,
  endingOf,
  GARBLED,
  isSuccess,
  jsonOrGarbled,
  retryAfterOf,
  type RetryPolicy,
} from './retry.ts';
import { exchangeInSpan } from './exchange-in-span.ts';
import type { Dispatches, Exchange, RequestOutcome } from './transport.ts';

export type Timeouts = { readonly connectMs: number; readonly totalMs: number };

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, totalMs: 30_000 };

/** A longer response is not read to the end. The largest normal response, the API description, is about 0.6 MB. */
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

export type HttpOptions = {
  readonly forgeId: string;
  /** Scheme, host and an optional path prefix. Requests go to no other address. */
  readonly baseUrl: string;
  readonly token: string;
  /** Certificate of a private certificate authority, as PEM. */
  readonly ca?: string;
  /** Default: the variables of the environment decide. */
  readonly proxy?: ProxySetting;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryPolicy;
  readonly maxBytes?: number;
  readonly clock?: Clock;
  /** Called once per request, retries included. Contract: must not throw. */
  readonly onRequest?: OnRequest;
  /** The header that carries the token. When absent, the header is `Authorization: token …`. */
  readonly tokenHeader?: (token: string) => Readonly<Record<string, string>>;
};

export type ReadRequest<S extends z.ZodType> = { readonly path: ApiPath; readonly query?: Query; readonly schema: S };

/** `maxBytes`: a longer text is not read to the end; the read fails with FORGE_BAD_ANSWER. */
export type TextRequest = { readonly path: ApiPath; readonly maxBytes: number };

export type WriteRequest<S extends z.ZodType> = {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: ApiPath;
  readonly body?: unknown;
  /** Schema of the response. With null, the body of a 2xx response is ignored if it is empty or JSON. */
  readonly schema: S | null;
};

/** `etag` is null when there is no earlier response; the read is then unconditional. */
export type ConditionalRequest<S extends z.ZodType> = ReadRequest<S> & { readonly etag: string | null };

export type ReadAnswer<T> = { readonly value: T; readonly headers: IncomingHttpHeaders };

/**
 * JSON over HTTP for one forge.
 *
 * Contract: requests go only to the configured address, and redirects are not followed. Reads are retried within the
 * policy. A write is sent once. If it fails, the call throws `ForgeUnknownOutcomeError` when the write may have taken
 * effect and `ForgeRequestError` when it has not. Every call ends within its time limit or when its signal aborts. The
 * token is in one request header and in no error.
 */
export type ForgeHttp = {
  readonly forgeId: string;
  readonly read: <S extends z.ZodType>(
    request: ReadRequest<S>,
    signal: AbortSignal,
  ) => Promise<ReadAnswer<z.output<S>>>;
  /** Null when the forge reports that nothing changed since it sent `etag` (RFC 9110, 13.1.2). */
  readonly readIfChanged: <S extends z.ZodType>(
    request: ConditionalRequest<S>,
    signal: AbortSignal,
  ) => Promise<ReadAnswer<z.output<S>> | null>;
  /** Reads a file that the forge stores. Like `read`, except that the response is not JSON. */
  readonly readText: (request: TextRequest, signal: AbortSignal) => Promise<string>;
  /** Also returns the status, because some forges distinguish "done" from "nothing to do" only by the status. */
  readonly write: <S extends z.ZodType>(
    request: WriteRequest<S>,
    signal: AbortSignal,
  ) => Promise<{ readonly status: number; readonly value: z.output<S> | null }>;
};

type Setup = Required<Omit<HttpOptions, 'baseUrl' | 'ca' | 'proxy'>> & {
  readonly base: URL;
  readonly dispatcher: Dispatches;
};

type Call = {
  readonly intent: 'read' | 'write';
  readonly format: 'json' | 'text';
  readonly exchange: Exchange;
  readonly facts: (attempts: number) => CallFacts;
};

/** This status is expected only for a conditional read; for any other request it is an error. */
const NOT_MODIFIED = 304;

type Concluded = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

const invalid = (code: string, message: string): AppError =>
  new AppError({ code, message, disposition: { kind: 'fail' } });

/** Throws FORGE_BASE_URL_INVALID. The error does not contain the address, because the address may contain a password. */
export const parseBaseUrl = (value: string): URL => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const plain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === null || !plain || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('FORGE_BASE_URL_INVALID', 'base_url must be http(s)://host[/prefix] without user, query or fragment');
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
};

const checkToken = (token: string): string => {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw invalid('FORGE_TOKEN_INVALID', 'the token is empty or has invalid characters');
  }
  return token;
};

const setUp = (options: HttpOptions): Setup => {
  const timeouts = options.timeouts ?? DEFAULT_TIMEOUTS;
  return {
    forgeId: options.forgeId,
    base: parseBaseUrl(options.baseUrl),
    token: checkToken(options.token),
    timeouts,
    retry: options.retry ?? DEFAULT_RETRY,
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    clock: options.clock ?? systemClock,
    onRequest: options.onRequest ?? (() => {}),
    tokenHeader: options.tokenHeader ?? ((token) => ({ authorization: `token ${token}` })),
    dispatcher: createDispatcher({
      proxy: options.proxy ?? null,
      ca: options.ca,
      connectMs: timeouts.connectMs,
      // The time limit of the whole call covers headers and body.
      agent: { headersTimeout: 0, bodyTimeout: 0, pipelining: 1 },
    }),
  };
};

const prepare = (setup: Setup, method: Exchange['method'], path: string, body: unknown): Call => {
  const text = body === undefined ? null : JSON.stringify(body);
  const [bare = path] = path.split('?');
  return {
    intent: method === 'GET' ? 'read' : 'write',
    format: 'json',
    exchange: {
      origin: setup.base.origin,
      path: `${setup.base.pathname === '/' ? '' : setup.base.pathname}${path}`,
      method,
      headers: {
        accept: 'application/json',
        ...setup.tokenHeader(setup.token),
        'user-agent': 'fixpoint',
        ...(text === null ? {} : { 'content-type': 'application/json' }),
      },
      body: text,
      maxBytes: setup.maxBytes,
    },
    facts: (attempts) => ({ forge: setup.forgeId, method, path: bare, attempts }),
  };
};

const OK = 200;
const conclude = (setup: Setup, call: Call, outcome: RequestOutcome, attempts: number): Concluded => {
  const facts = call.facts(attempts);
  const write = call.intent === 'write';
  if (outcome.kind === 'not_sent') throw unavailable(facts, outcome.reason);
  if (outcome.kind === 'lost') {
    if (write) throw new ForgeUnknownOutcomeError({ ...facts, reason: outcome.reason }, undefined);
    throw unavailable(facts, outcome.reason);
  }
  if (outcome.kind === 'too_large') {
    if (write) throw new ForgeUnknownOutcomeError({ ...facts, reason: 'size' }, undefined);
    throw badAnswer(facts, 'size');
  }
  if (outcome.status === NOT_MODIFIED && call.exchange.headers['if-none-match'] !== undefined) {
    return { status: NOT_MODIFIED, headers: outcome.headers, text: '' };
  }
  if (!isSuccess(outcome.status)) {
    const { status, headers, text } = outcome;
    const refusal: Refusal = {
      call: facts,
      status,
      text,
      token: setup.token,
      retryAfterMs: retryAfterOf(headers, setup.clock),
    };
    throw write && status >= 500 ? unknownAnswer(refusal) : refusalError(refusal);
  }
  return { status: outcome.status, headers: outcome.headers, text: outcome.text };
};

const perform = async (setup: Setup, call: Call, signal: AbortSignal): Promise<Concluded> => {
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    const outcome = await exchangeInSpan(setup, { exchange: call.exchange, attempt }, signal);
    setup.onRequest(seeRequest(call.exchange.method, outcome, startedAt));
    const unsent = outcome.kind === 'not_sent' || call.intent === 'read';
    if (signal.aborted && unsent && outcome.kind !== 'answer') throw aborted(call.facts(attempt));
    const subject = {
      ending: endingOf(outcome, { format: call.format, clock: setup.clock }),
      intent: call.intent,
      attempt,
    };
    const decision = decideRetry(subject, setup.retry, setup.clock.random);
    if (decision.kind === 'give_up') return conclude(setup, call, outcome, attempt);
    await setup.clock.sleep(decision.delayMs, signal).catch(() => {
      throw aborted(call.facts(attempt));
    });
  }
};

const conditionedBy = (call: Call, etag: string | null): Call =>
  etag === null
    ? call
    : { ...call, exchange: { ...call.exchange, headers: { ...call.exchange.headers, 'if-none-match': etag } } };

const readChanged = async <S extends z.ZodType>(
  setup: Setup,
  { path, query, schema, etag }: ConditionalRequest<S>,
  signal: AbortSignal,
): Promise<ReadAnswer<z.output<S>> | null> => {
  const call = conditionedBy(prepare(setup, 'GET', withQuery(path, query ?? {}), undefined), etag);
  const { status, text, headers } = await perform(setup, call, signal);
  if (status === NOT_MODIFIED) return null;
  const json = jsonOrGarbled({ status, text });
  if (json === GARBLED) throw badAnswer(call.facts(setup.retry.attempts), 'garbled');
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data, headers };
  // Gitea sends 200 with `null` while it cannot read the repository of a change request: during a rename, or for good.
  if (status === OK && json === null) throw badAnswer(call.facts(1), 'null');
  throw badAnswer(call.facts(1), 'schema', parsed.error);
};

const readText = async (setup: Setup, { path, maxBytes }: TextRequest, signal: AbortSignal): Promise<string> => {
  const { exchange, ...call } = prepare(setup, 'GET', path, undefined);
  const headers = { ...exchange.headers, accept: '*/*' };
  const asking: Call = { ...call, format: 'text', exchange: { ...exchange, headers, maxBytes } };
  return (await perform(setup, asking, signal)).text;
};

export const createForgeHttp = (options: HttpOptions): ForgeHttp => {
  const setup = setUp(options);
  return {
    forgeId: setup.forgeId,
    read: async (request, signal) => {
      const answer = await readChanged(setup, { ...request, etag: null }, signal);
      if (answer === null) throw new TypeError('an unconditional read was answered with "not modified"');
      return answer;
    },
    readIfChanged: async (request, signal) => readChanged(setup, request, signal),
    readText: async (request, signal) => readText(setup, request, signal),
    write: async (request, signal) => {
      const call = prepare(setup, request.method, request.path, request.body);
      const { text, status } = await perform(setup, call, signal);
      const json = jsonOrGarbled({ status, text });
      if (request.schema === null && (text === '' || json !== GARBLED)) return { status, value: null };
      const parsed = json === GARBLED ? null : request.schema?.safeParse(json);
      // A 2xx of the forge means that the write took effect, but a proxy can answer instead, for example with the page of
      // a maintenance. Without a valid body the result is unknown and must be read back.
      if (parsed?.success !== true) {
        throw new ForgeUnknownOutcomeError({ ...call.facts(1), status, reason: 'answer' }, parsed?.error);
      }
      return { status, value: parsed.data };
    },
  };
};
