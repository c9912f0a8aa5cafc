import { delayOrAbort } from '../time-limit.ts';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config/load.ts';
import { demand, type ForgeSecrets } from '../config/secrets.ts';
import { AppError } from '../errors.ts';
import { connectForge } from '../forge/kinds/connect.ts';
import type { ConnectOptions } from '../forge/kinds/connect.ts';
import type { OnRequest } from '../forge/request-seen.ts';
import type { Forge } from '../forge/port.ts';

import { mayHoldSummary } from '../rounds/memory/marker.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { LastAnswers } from './last-answers.ts';

type OnStatusUnset = NonNullable<ConnectOptions['onStatusUnset']>;

export type TokenPurpose = 'read_token' | 'post_token';

const TOKEN_OF: Readonly<Record<TokenPurpose, (secrets: ForgeSecrets) => string | null>> = {
  read_token: ({ readToken }) => readToken,
  post_token: ({ postToken }) => postToken,
};

type RequestMetrics = Pick<Metrics, 'forgeRequests' | 'forgeSeconds' | 'rateLimitRemaining'>;

export const countRequests =
  ({ forgeRequests, forgeSeconds, rateLimitRemaining }: RequestMetrics, forge: string): OnRequest =>
  ({ method, status, seconds, rateLimitRemaining: remaining }) => {
    forgeRequests.inc({ forge, method, status });
    forgeSeconds.observe({ forge, method }, seconds);
    if (remaining !== null) rateLimitRemaining.set({ forge }, remaining);
  };

type ConnectContext = {
  readonly log: Logger;
  readonly metrics: RequestMetrics;
  readonly signal: AbortSignal;
  readonly answered?: LastAnswers['note'] | undefined;
};

const UNSET = 'the commit status stays unset';

const RETRY_MS = 5_000;

/** Returns forges by id. Waits for a forge that does not answer, because the whole installation may be starting. */
export const connectForges = async (
  config: Config,
  purpose: TokenPurpose,
  { log, metrics, signal, answered = () => {} }: ConnectContext,
): Promise<ReadonlyMap<string, Forge>> => {
  const forges = config.forges.map(async (settings) => {
    const secrets = config.secrets.forges.get(settings.id);
    const token = demand(secrets === undefined ? null : TOKEN_OF[purpose](secrets), purpose);
    const ca = settings.caFile === null ? {} : { ca: await readFile(settings.caFile, 'utf8') };
    const { id, kind, baseUrl, proxy } = settings;
    const count = countRequests(metrics, id);
    const onRequest: OnRequest = (request) => {
      count(request);
      answered(`forge ${id}`, request.status);
    };
    const onStatusUnset: OnStatusUnset = ({ projectId, number, head, why }) =>
      log.info({ forge: id, project: projectId, changeRequest: number, headSha: head, why }, UNSET);
    const forge = await untilConnected(
      async () =>
        connectForge(
          { id, kind, baseUrl, token, proxy, onRequest, onStatusUnset, isEdited: mayHoldSummary, ...ca },
          signal,
        ),
      {
        log,
        signal,
        id,
      },
    );
    return [id, forge] as const;
  });
  return new Map(await Promise.all(forges));
};

const untilConnected = async (
  connect: () => Promise<Forge>,
  { log, signal, id }: { readonly log: Logger; readonly signal: AbortSignal; readonly id: string },
): Promise<Forge> => {
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const waits =
        error instanceof AppError && (error.disposition.kind === 'retry' || error.disposition.kind === 'retry_after');
      if (signal.aborted || !waits) throw error;
      log.warn({ err: error, forge: id }, 'the forge does not answer; waiting for it');
      await delayOrAbort(RETRY_MS, signal);
    }
  }
};
