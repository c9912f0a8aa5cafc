import { expect, it } from 'vitest';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { providerFailure } from '../../../../shared/agent/model/provider-failure.ts';
import { requestFailure } from '../../../../shared/agent/models/anthropic/errors.ts';

const thrown = (code: string, more: object = {}) =>
  new APIConnectionError({
    cause: Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code, ...more }) }),
  });

const sending = { stream: true, callTimeoutMs: 1_000, nowMs: () => 0 };
const seen = (error: unknown, stream = true) => {
  const { code, cost, retryable } = requestFailure(error, { ...sending, stream });
  return [code, cost.kind, retryable];
};

it.each([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
])('F-D1: a certificate refused with %s was sent nothing, and trying again does not help', (code) => {
  expect(seen(thrown(code))).toEqual(['MODEL_UNTRUSTED', 'nothing', false]);
});

it.each([
  ['ECONNREFUSED', {}],
  ['ENOTFOUND', {}],
  ['EAI_AGAIN', {}],
  ['EAI_FAIL', {}],
  ['EHOSTUNREACH', {}],
  ['ENETUNREACH', {}],
  ['ENETDOWN', {}],
  ['EHOSTDOWN', {}],
  ['EADDRNOTAVAIL', {}],
  ['UND_ERR_CONNECT_TIMEOUT', {}],
  ['UND_ERR_PRX_TLS', {}],
  ['EPROTO', {}],
  ['ERR_SSL_WRONG_VERSION_NUMBER', {}],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', {}],
  ['ETIMEDOUT', { syscall: 'connect' }],
  ['ECONNRESET', { syscall: 'connect' }],
])('F-D1: %s was not sent, and is an outage', (code, more) => {
  expect(seen(thrown(code, more))).toEqual(['MODEL_UNAVAILABLE', 'nothing', true]);
});

it('F-D1: one address of several that refused says that nothing was sent, also in a list of errors', () => {
  const refused = Object.assign(new Error('a'), { code: 'ECONNREFUSED' });
  const cause = new AggregateError([refused, refused], 'both');
  expect(seen(new APIConnectionError({ cause }))).toEqual(['MODEL_UNAVAILABLE', 'nothing', true]);
});

it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'])(
  'F-D1: %s may have been sent: the input of a stream, all of a call that is answered at once',
  (code) => {
    expect(seen(thrown(code))).toEqual(['MODEL_UNAVAILABLE', 'input', true]);
    expect(seen(thrown(code), false)).toEqual(['MODEL_UNAVAILABLE', 'unknown', true]);
  },
);

it('F-D1: a connection that is not made in time was not sent where its code says so', () => {
  const timedOut = Object.assign(new APIConnectionTimeoutError(), {
    cause: Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
  });
  expect(seen(timedOut)).toEqual(['MODEL_TIMED_OUT', 'nothing', true]);
});

const status = (code: number, type: string | null) =>
  APIError.generate(code, type === null ? undefined : { error: { type } }, 'x', new Headers());

it.each([
  [400, 'invalid_request_error', ['MODEL_REQUEST_REFUSED', 'nothing', false]],
  [407, null, ['MODEL_REQUEST_REFUSED', 'nothing', false]],
  [413, 'request_too_large', ['MODEL_REQUEST_TOO_LONG', 'nothing', false]],
  [429, 'rate_limit_error', ['MODEL_RATE_LIMITED', 'nothing', true]],
  [429, 'insufficient_quota', ['MODEL_UNAUTHORISED', 'nothing', false]],
  [403, 'billing_error', ['MODEL_UNAUTHORISED', 'nothing', false]],
  [502, null, ['MODEL_UNAVAILABLE', 'nothing', true]],
  [504, 'timeout_error', ['MODEL_UNAVAILABLE', 'nothing', true]],
  [504, null, ['MODEL_UNAVAILABLE', 'input', true]],
  [524, null, ['MODEL_UNAVAILABLE', 'input', true]],
] as const)(
  'F-D1: a %i with %s is classed, and charged only where a gateway gave up waiting',
  (code, type, expected) => {
    expect(seen(status(code, type))).toEqual(expected);
  },
);

it('a used-up account inside a stream is no outage', () => {
  const facts = { status: null, type: 'billing_error', requestId: null };
  expect(providerFailure({ facts, retryAfterMs: null, cost: { kind: 'nothing' }, cause: null }).retryable).toBe(false);
});
