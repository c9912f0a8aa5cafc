/** What all actions have in common: who may act, what is written down, and the sentence that is shown afterwards. */
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../../shared/logger.ts';
import { type AuditEntry, createAudit } from '../../../shared/store/board/audit.ts';
import type { PageSource } from '../read/source.ts';
import { visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';

export type ActionDeps = { readonly source: PageSource; readonly log: Logger };

export const mayAct = (request: FastifyRequest): boolean => visitorOf(request).scope === 'write';

/** The value for forms, if the visitor may act in a browser. */
export const csrfFor = (request: FastifyRequest): string | null => {
  const { session } = visitorOf(request);
  return mayAct(request) && session !== null ? session.csrf : null;
};

/** Who acts, in words. All holders of a token are the same to this page, except for their address. */
export const actorOf = ({ ip }: FastifyRequest): string => `the operator's page, from ${ip}`;

/** Writes an action into the log and into the list of the page Actions. */
export const createRecorder =
  ({ source, log }: ActionDeps) =>
  async (request: FastifyRequest, done: Pick<AuditEntry, 'action' | 'about' | 'outcome'>): Promise<void> => {
    const entry = { atMs: source.nowMs(), ...done, address: request.ip };
    log.info(entry, 'action on the console');
    await createAudit(source.redis, source.keys).append(entry);
  };

/** Only fixed sentences are shown, whatever the address says. */
export const saidOf = (request: FastifyRequest, words: Readonly<Record<string, string>>): string | null => {
  const given = queryText(request.query, 'done') ?? '';
  return Object.hasOwn(words, given) ? (words[given] ?? null) : null;
};
