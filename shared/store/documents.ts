import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseStored } from './parse-stored.ts';

/** The store keeps work in progress for a week. Lasting data is on the forge. */
const KEEP_S = 7 * 24 * 3600;

export class StoredDocumentMissingError extends AppError {
  constructor(what: string) {
    super({
      code: 'STORED_DOCUMENT_MISSING',
      message: `${what} is no longer in the store`,
      disposition: { kind: 'drop' },
      fields: { what },
    });
  }
}

export type DocumentStore<Document> = {
  save(key: string, document: Document): Promise<void>;
  /** Keeps a document that `load` would return. Returns whether this one was saved. */
  saveOnce(key: string, document: Document): Promise<boolean>;
  /** Returns null when the document is missing, or was written by a version with another schema. */
  load(key: string): Promise<Document | null>;
};

/** Stores one JSON document per key. Each document is parsed when loaded, because older code may have written it. */
export const createDocumentStore = <Document>(redis: Redis, schema: z.ZodType<Document>): DocumentStore<Document> => {
  const load: DocumentStore<Document>['load'] = async (key) => parseStored(schema, await redis.get(key));
  return {
    load,
    save: async (key, document) => {
      await redis.set(key, JSON.stringify(document), 'EX', KEEP_S);
    },
    saveOnce: async (key, document) => {
      const text = JSON.stringify(document);
      if ((await redis.set(key, text, 'EX', KEEP_S, 'NX')) !== null) return true;
      if ((await load(key)) !== null) return false;
      await redis.set(key, text, 'EX', KEEP_S);
      return true;
    },
  };
};
