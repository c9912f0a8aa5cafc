import { z } from 'zod';
import { readDeliveryId } from '../../webhooks/headers.ts';
import { type Dialect, type MergeSettings, NO_CHANGE_REQUEST, NOTHING, type OwnToken } from '../dialect/dialect.ts';
import { hasForgeCode } from '../errors.ts';
import type { ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';
import { GITLAB_FACTS } from './facts.ts';
import { parseGitlabOwners } from './parse-gitlab-owners.ts';
import { gitlabTokenHeader } from './token-header.ts';
import { parseGitlab } from './webhooks/parse-gitlab.ts';
import { verifyGitlab } from './webhooks/verify-gitlab.ts';

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
  facts: GITLAB_FACTS,
  connect: async (options, signal) => (await import('./connect.ts')).connectGitlab(options, signal),
  administer: async (http) => (await import('./administer.ts')).administerGitlab(http),
  // https://docs.gitlab.com/api/metadata/ (401 without a token)
  versionPath: apiPath`/api/v4/metadata`,
  // https://docs.gitlab.com/api/oauth2/#authorization-code-with-proof-key-for-code-exchange-pkce
  oauth: { authorizePath: apiPath`/oauth/authorize`, tokenPath: apiPath`/oauth/token`, scope: 'read_api' },
  codeOwners: { places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'], parse: parseGitlabOwners },
  tokenHeader: gitlabTokenHeader,
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
  // Each event of a hook has one id, which retries and resends keep. Do not use X-Gitlab-Webhook-UUID: despite its name
  // it changes with every request.
  deliveryId: (headers) => readDeliveryId(headers, ['idempotency-key', 'webhook-id']),
  mayMistakeSignature: true,
};
