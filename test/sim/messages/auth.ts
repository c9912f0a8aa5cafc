import type { IncomingHttpHeaders } from 'node:http';
import { type ApiProblem, invalid } from './api-problem.ts';

const VERSIONS: readonly unknown[] = ['2023-01-01', '2023-06-01', '2026-10-21'];

const unauthorized = (message: string): ApiProblem => ({ status: 401, type: 'authentication_error', message });

/** Accepts both headers, `x-api-key` first. A missing version is a bad request, not a bad key. */
export const checkAuth = (headers: IncomingHttpHeaders, apiKeys: readonly string[]): ApiProblem | null => {
  const [key, bearer] = [headers['x-api-key'], headers.authorization];
  if (key === undefined && bearer === undefined) return unauthorized('x-api-key header is required');
  if (key !== undefined && !apiKeys.includes(String(key))) return unauthorized('invalid x-api-key');
  if (key === undefined && !apiKeys.some((known) => bearer === `Bearer ${known}`)) {
    return unauthorized('Invalid bearer token');
  }
  const version = headers['anthropic-version'];
  if (version === undefined) return invalid('anthropic-version: header is required');
  return VERSIONS.includes(version) ? null : invalid(`anthropic-version: "${String(version)}" is not a valid version`);
};
