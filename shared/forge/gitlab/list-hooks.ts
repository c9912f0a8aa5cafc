import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { collectPages, hintsOf, tooManyPages } from '../paging.ts';
import { apiPath } from '../path.ts';
import type { Hook, HookOwner, ReadsHooks } from '../port.ts';
import { type GitlabContext, PAGE_WORDS } from './context.ts';

export const ApiHook = z.object({
  id: z.number().int(),
  url: z.string(),
  /** Absent before GitLab 15. */
  alert_status: z.string().nullish(),
  disabled_until: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .nullish(),
});
type ApiHook = z.output<typeof ApiHook>;

/** After four failures in a row GitLab waits, after forty it gives up until a test request succeeds. */
const STATES: Readonly<Record<string, Hook['state']>> = { temporarily_disabled: 'paused', disabled: 'off' };

const toHook = ({ url, alert_status: alert, disabled_until: until }: ApiHook): Hook => {
  const state = STATES[alert ?? ''] ?? 'working';
  return { url, state, untilMs: state === 'paused' ? (until ?? null) : null };
};

const pathOf = (owner: HookOwner) =>
  owner.kind === 'project'
    ? apiPath`/api/v4/projects/${owner.project.id}/hooks`
    : apiPath`/api/v4/groups/${owner.path}/hooks`;

const readHooks = ({ http }: GitlabContext, owner: HookOwner, signal: AbortSignal): Promise<readonly ApiHook[]> => {
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
 * For maintainers of the project, and owners of the group. The Community Edition has no hooks of groups.
 *
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
