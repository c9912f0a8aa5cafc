import { z } from 'zod';
import { hasForgeCode } from '../../errors.ts';
import { collectPages, hintsOf, tooManyPages } from '../../paging.ts';
import { apiPath } from '../../path.ts';
import type { Hook, HookOwner, ReadsHooks } from '../../port-listing.ts';
import { type GitlabContext, PAGE_WORDS } from '../api/context.ts';

export const ApiHook = z.object({
  id: z.number().int(),
  url: z.string(),
  /** GitLab sends this field since release 15. */
  alert_status: z.string().nullish(),
  disabled_until: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .nullish(),
  merge_requests_events: z.boolean().nullish(),
  note_events: z.boolean().nullish(),
  emoji_events: z.boolean().nullish(),
  pipeline_events: z.boolean().nullish(),
  token_present: z.boolean().nullish(),
  signing_token_present: z.boolean().nullish(),
});
type ApiHook = z.output<typeof ApiHook>;

/** GitLab pauses a hook after four failures in a row; after forty it disables the hook until a test request succeeds. */
const STATES: Readonly<Record<string, Hook['state']>> = { temporarily_disabled: 'paused', disabled: 'off' };

export const HEARD = ['merge_requests_events', 'note_events', 'emoji_events', 'pipeline_events'] as const;

/** A missing field means that the release does not know the event, so the event is not listed in `lacks`. */
export const toHook = (hook: ApiHook): Hook => {
  const { url, alert_status: alert, disabled_until: until } = hook;
  const state = STATES[alert ?? ''] ?? 'working';
  const isUnsigned = hook.token_present === false && hook.signing_token_present !== true;
  return {
    url,
    state,
    untilMs: state === 'paused' ? (until ?? null) : null,
    lacks: HEARD.filter((event) => hook[event] === false),
    unfit: isUnsigned ? 'it has neither a signing token nor a secret token, so its deliveries are refused' : null,
  };
};

const pathOf = (owner: HookOwner) =>
  owner.kind === 'project'
    ? apiPath`/api/v4/projects/${owner.project.id}/hooks`
    : apiPath`/api/v4/groups/${owner.path}/hooks`;

export const readHooks = (
  { http }: Pick<GitlabContext, 'http'>,
  owner: HookOwner,
  signal: AbortSignal,
): Promise<readonly ApiHook[]> => {
  const path = pathOf(owner);
  return collectPages({
    limit: PAGE_WORDS.size,
    keyOf: ({ id }) => id,
    tooMany: tooManyPages(http.forgeId, path),
    readPage: async (page) => {
      const query = { page, per_page: PAGE_WORDS.size };
      const { value, headers } = await http.read({ path, query, schema: z.array(ApiHook) }, signal);
      return { items: value, ...hintsOf(headers, PAGE_WORDS.totalHeader) };
    },
  });
};

/**
 * Only project maintainers and group owners may list hooks. The Community Edition has no group hooks.
 * - GET /projects/:id/hooks: https://docs.gitlab.com/api/project_webhooks/#list-webhooks-for-a-project
 * - GET /groups/:id/hooks:   https://docs.gitlab.com/api/group_webhooks/#list-group-hooks
 */
export const readsHooks = (context: GitlabContext): ReadsHooks => ({
  fetchHooks: async (owner, signal) => {
    try {
      return (await readHooks(context, owner, signal)).map(toHook);
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_UNAUTHORISED')) return null;
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return owner.kind === 'group' ? [] : null;
      throw error;
    }
  },
});
