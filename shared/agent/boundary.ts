/**
 * The boundary that fences untrusted text in a conversation. It is the same for all conversations of a project on one
 * day, so that the provider's cache serves later reviews too. Knowing the boundary does not help an attacker: it is
 * replaced in text before a model sees the text, and redacted from everything that a model writes.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createOwnRedactor, REDACTED, type Redactor } from '../text/redact.ts';
import { dropHidden, showHidden } from '../text/visible.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';

/** Contract: 32 lower-case hexadecimal digits, equal for one project and one day (UTC). */
export type BoundaryOf = (of: Pick<ChangeRequest, 'forge' | 'projectId'>) => string;

/** A shorter secret could be guessed from a boundary. */
const MIN_SECRET = 16;

/**
 * Derives the boundaries from the secrets of the process, which all replicas of a service share. A process without a long secret,
 * such as a local review with a model that needs no key, draws its own key.
 */
export const createBoundaries = (secrets: readonly string[], nowMs: () => number): BoundaryOf => {
  const long = secrets.filter(({ length }) => length >= MIN_SECRET).toSorted();
  const key = long.length === 0 ? randomBytes(32) : createHash('sha256').update(JSON.stringify(long)).digest();
  return ({ forge, projectId }) => {
    const day = new Date(nowMs()).toISOString().slice(0, 10);
    const text = JSON.stringify(['prompt boundary', forge, projectId, day]);
    return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
  };
};

/**
 * Replaces the boundary in text for a model. Only the boundary itself is replaced. Invisible characters between its
 * characters are made visible first, so that nothing can be hidden there.
 */
export const withoutBoundary = (text: string, boundary: string): string =>
  dropHidden(text).toLowerCase().includes(boundary)
    ? showHidden(text).replaceAll(new RegExp(boundary, 'giu'), REDACTED)
    : text;

/** Used to compare a model's quotes with the files, because the model saw the files without the boundary. */
export const alsoWithoutBoundary =
  (redact: Redactor, boundary: string): Redactor =>
  (text) => {
    const { text: safe, count } = redact(text);
    return { text: withoutBoundary(safe, boundary), count };
  };

const MAX_DEPTH = 100;

/** Redacts the boundary in every string of a value that a model wrote, in every form in which secrets are redacted. */
export const redactBoundary = <Value>(value: Value, boundary: string): Value => {
  const redact = createOwnRedactor([boundary]);
  // Only the contents of strings change, so the type stays the same.
  return mapStrings(value, (text) => redact(text).text, 0) as Value;
};

const mapStrings = (value: unknown, map: (text: string) => string, depth: number): unknown => {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, map, depth + 1)]));
};
