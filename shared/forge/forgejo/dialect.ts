import { readDeliveryId } from '../../webhooks/headers.ts';
import { type Dialect, NO_CHANGE_REQUEST, NOTHING } from '../dialect/dialect.ts';
import { apiPath } from '../path.ts';
import { FORGEJO_FACTS } from './facts.ts';
import { parseForgejoOwners } from './parse-forgejo-owners.ts';
import { parseForgejo } from './webhooks/parse-forgejo.ts';
import { verifyForgejo } from './webhooks/verify-forgejo.ts';

export const FORGEJO_DIALECT: Dialect = {
  facts: FORGEJO_FACTS,
  connect: async (options, signal) => (await import('./connect.ts')).connectForgejo(options, signal),
  administer: async (http) => (await import('./administer.ts')).administerForgejo('forgejo')(http),
  // https://codeberg.org/api/forgejo/swagger
  versionPath: apiPath`/api/forgejo/v1/version`,
  // https://forgejo.org/docs/latest/user/oauth2-provider/, https://docs.gitea.com/development/oauth2-provider
  oauth: {
    authorizePath: apiPath`/login/oauth/authorize`,
    tokenPath: apiPath`/login/oauth/access_token`,
    scope: 'read:user read:repository',
  },
  codeOwners: {
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS'],
    parse: (text) => parseForgejoOwners(text, { dropsSlash: false }),
  },
  // GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent
  selfPath: apiPath`/api/v1/user`,
  readOwnToken: null,
  /**
   * Statuses and reviews need the scope write:repository; comments need write:issue.
   *
   * - DELETE /repos/{owner}/{repo}/issues/comments/{id}:       https://codeberg.org/api/swagger#/issue/issueDeleteComment
   * - DELETE /repos/{owner}/{repo}/pulls/{index}/reviews/{id}: https://codeberg.org/api/swagger#/repository/repoDeletePullReview
   */
  writeProbes: ({ path }) => {
    const [owner = '', name = ''] = path.split('/');
    return [
      { what: 'comment', path: apiPath`/api/v1/repos/${owner}/${name}/issues/comments/${NOTHING}` },
      {
        what: 'review or set a status',
        path: apiPath`/api/v1/repos/${owner}/${name}/pulls/${NO_CHANGE_REQUEST}/reviews/${NOTHING}`,
      },
    ];
  },
  readMergeSettings: null,
  accountNote: () => '',
  verify: ({ headers, rawBody, webhookSecrets }) => verifyForgejo(headers, rawBody, webhookSecrets),
  parse: parseForgejo,
  // A manual replay has a new id.
  deliveryId: (headers) => readDeliveryId(headers, ['x-forgejo-delivery', 'x-gitea-delivery']),
  mayMistakeSignature: false,
};
