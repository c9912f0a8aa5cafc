import { readForgejoDeliveryId } from '../../webhooks/headers.ts';
import { parseForgejo } from '../../webhooks/parse-forgejo.ts';
import { verifyForgejo } from '../../webhooks/verify-forgejo.ts';
import { systemClock } from '../clock.ts';
import { createForgejo } from '../forgejo/adapter.ts';
import { probeTraits } from '../forgejo/traits.ts';
import { apiPath } from '../path.ts';
import { openHttp } from './connect-options.ts';
import { type Dialect, NO_CHANGE_REQUEST, NOTHING } from './dialect.ts';

export const FORGEJO_DIALECT: Dialect = {
  connect: async (options, signal) => {
    const { baseUrl, clock = systemClock, onTraits, isEdited } = options;
    const http = openHttp(options);
    const traits = await probeTraits(http, signal);
    onTraits?.(traits);
    return createForgejo({ http, traits, baseUrl, clock, ...(isEdited === undefined ? {} : { isEdited }) });
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
  deliveryId: readForgejoDeliveryId,
  mayMistakeSignature: false,
};
