import { APIError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { requestFailure } from '../../../../shared/agent/models/anthropic/errors.ts';
import { isTooLong } from '../../../../shared/agent/model/too-long.ts';

const codeOf = (status: number, body: object | undefined): string =>
  requestFailure(APIError.generate(status, body, undefined, new Headers()), {
    stream: true,
    callTimeoutMs: 1,
    nowMs: () => 0,
  }).code;

const said = (message: string, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } });

describe('F-C11: a request that is refused', () => {
  it.each([
    [400, 'prompt is too long: 208310 tokens > 200000 maximum'],
    [400, 'Prompt is too long'],
    [400, 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'],
    [400, 'Input is too long for requested model.'],
    [400, "This model's maximum context length is 128000 tokens. Please reduce the length of the messages."],
    [400, 'the request exceeds the available context size'],
    [400, 'The input token count exceeds the maximum number of tokens allowed'],
    [422, 'too many input tokens'],
    [400, 'The decoder prompt (length 40000) is longer than the maximum model length of 32768.'],
    [400, 'litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: x'],
    [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000'],
    [400, 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
    [400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
  ])('with a %i for its length is one: %s', (status, words) => {
    expect(codeOf(status, said(words))).toBe('MODEL_REQUEST_TOO_LONG');
  });

  it('is one by its status or its type alone', () => {
    expect(codeOf(413, undefined)).toBe('MODEL_REQUEST_TOO_LONG');
    expect(codeOf(413, said('Request size exceeds the maximum', 'request_too_large'))).toBe('MODEL_REQUEST_TOO_LONG');
    expect(codeOf(400, { error: { code: 'context_length_exceeded' } })).toBe('MODEL_REQUEST_TOO_LONG');
    expect(isTooLong({ status: null, type: 'request_too_large', words: '' })).toBe(true);
    expect(isTooLong({ status: 500, type: 'exceed_context_size_error', words: '' })).toBe(true);
    expect(isTooLong({ status: null, type: 'invalid_request_error', words: 'prompt is too long' })).toBe(true);
  });

  it.each([
    [400, 'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens'],
    [400, 'messages.1.content: field required'],
    [404, 'model: no-such-model'],
    [400, 'tools.0.name: string should match a pattern'],
  ])('with a %i for another reason is a mistake: %s', (status, words) => {
    expect(codeOf(status, said(words))).toBe('MODEL_REQUEST_REFUSED');
  });

  it('keeps the class of its status whatever its words say', () => {
    expect(codeOf(429, said('too many input tokens per minute', 'rate_limit_error'))).toBe('MODEL_RATE_LIMITED');
    expect(codeOf(401, said('prompt is too long', 'authentication_error'))).toBe('MODEL_UNAUTHORISED');
    expect(codeOf(500, said('context window', 'api_error'))).toBe('MODEL_UNAVAILABLE');
  });
});
