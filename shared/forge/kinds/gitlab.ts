import { z } from 'zod';
import { readGitlabDeliveryId } from '../../webhooks/headers.ts';
import { parseGitlab } from '../../webhooks/parse-gitlab.ts';
import { verifyGitlab } from '../../webhooks/verify-gitlab.ts';
import { systemClock } from '../clock.ts';
import { hasForgeCode } from '../errors.ts';
import { createGitlab } from '../gitlab/adapter.ts';
import { createGitlabApi } from '../gitlab/api/requester.ts';
import { probeGitlabTraits } from '../gitlab/api/traits.ts';
import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import { openHttp } from './connect-options.ts';
import { type Dialect, type MergeSettings, NO_CHANGE_REQUEST, NOTHING, type OwnToken } from './dialect.ts';

/** This header works for personal, project and group access tokens: https://docs.gitlab.com/api/rest/authentication/ */
const tokenHeader = (token: string) => ({ 'private-token': token });

const ApiToken = z.looseObject({ scopes: z.array(z.string()), expires_at: z.iso.date().nullish() });

/**
 * GitLab describes personal, project and group access tokens from 15.5 on. Null for other tokens.
 *
 * - GET /personal_access_tokens/self: https://docs.gitlab.com/api/personal_access_tokens/
 */
const readOwnToken = async (http: ForgeHttp, signal: AbortSignal): Promise<OwnToken | null> => {
  try {
    const path = apiPath`/api/v4/personal_access_tokens/self`;
    const { scopes, expires_at: expiresAt = null } = (await http.read({ path, schema: ApiToken }, signal)).value;
    return { scopes, expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt) };
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REJECTED', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

const ApiSettings = z.object({
  only_allow_merge_if_pipeline_succeeds: z.boolean().nullish(),
  allow_merge_on_skipped_pipeline: z.boolean().nullish(),
});

/** GET /projects/:id: https://docs.gitlab.com/api/projects/#retrieve-a-project */
const readMergeSettings = async (http: ForgeHttp, projectId: number, signal: AbortSignal): Promise<MergeSettings> => {
  const { value } = await http.read({ path: apiPath`/api/v4/projects/${projectId}`, schema: ApiSettings }, signal);
  return {
    waitsForPipelines: value.only_allow_merge_if_pipeline_succeeds ?? null,
    skippedPasses: value.allow_merge_on_skipped_pipeline === true,
  };
};

const TOKEN_ACCOUNT = /^(?:project|group)_\d+_bot(?:_|\d*$)/;

export const GITLAB_DIALECT: Dialect = {
  connect: async (options, signal) => {
    const { baseUrl, clock = systemClock, onTraits, onStatusUnset = () => {} } = options;
    const http = openHttp(options, tokenHeader);
    const api = createGitlabApi(http);
    const traits = await probeGitlabTraits(api, http, signal);
    onTraits?.(traits);
    return createGitlab({ http, api, traits, baseUrl, clock, onStatusUnset });
  },
  tokenHeader,
  // GET /user: https://docs.gitlab.com/api/users/#retrieve-the-current-user
  selfPath: apiPath`/api/v4/user`,
  readOwnToken,
  // DELETE /projects/:id/merge_requests/:iid/notes/:id: https://docs.gitlab.com/api/notes/
  writeProbes: ({ id }) => [
    { what: 'comment', path: apiPath`/api/v4/projects/${id}/merge_requests/${NO_CHANGE_REQUEST}/notes/${NOTHING}` },
  ],
  readMergeSettings,
  accountNote: (login) =>
    TOKEN_ACCOUNT.test(login) ? ', the account of an access token: rotate the token instead of creating a new one' : '',
  verify: ({ headers, rawBody, webhookSecrets, signingTokens, receivedAtMs }) =>
    verifyGitlab({
      headers,
      rawBody,
      secrets: { tokens: webhookSecrets, signingTokens },
      nowMs: receivedAtMs,
    }),
  parse: parseGitlab,
  deliveryId: readGitlabDeliveryId,
  mayMistakeSignature: true,
};
