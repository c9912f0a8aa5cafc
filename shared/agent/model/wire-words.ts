/**
 * A model may have written any text as the name, id or input of a call. Providers refuse some of it when it is sent
 * back.
 */
import { createHash } from 'node:crypto';

/** Providers accept only an object as tool input; any other input is sent back as `{ unreadable: … }`. */
export const asObject = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : { unreadable: input };

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const ID = /^[a-zA-Z0-9_-]{1,128}$/;

export const asName = (name: string): string => {
  if (NAME.test(name)) return name;
  const clean = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return clean === '' ? 'unnamed' : clean;
};

export const asId = (id: string): string =>
  ID.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
