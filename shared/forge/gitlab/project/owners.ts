import { Groups, RepositoryFiles, Users } from '@gitbeaker/rest';
import { z } from 'zod';
import { readFileText } from '../../file-text.ts';
import type { FindsNames, ReadsFiles } from '../../port-owners.ts';
import { readableItems } from '../../readable-items.ts';
import { type GitlabContext, toAccount } from '../api/context.ts';
import { orNullAtPath } from '../api/or-null.ts';
import { ApiUser } from '../api/schema.ts';

const ApiFile = z.object({ size: z.number().int().nonnegative(), content: z.string() });

/**
 * Uses the branch's full ref name, because a tag may have the same short name.
 * GET /projects/:id/repository/files/:file_path: https://docs.gitlab.com/api/repository_files/#get-file-from-repository
 */
export const readsFiles = ({ api }: Pick<GitlabContext, 'api'>): ReadsFiles => ({
  fetchFile: async ({ projectId, branch, path }, maxBytes, signal) =>
    readFileText(maxBytes, async () => {
      const { size, content } = await api.read(ApiFile, signal, (options) =>
        new RepositoryFiles(options).show(projectId, path, `refs/heads/${branch}`),
      );
      return { size, base64: content };
    }),
});

/** `state` marks accounts that are blocked or deactivated. */
const ApiListedUser = ApiUser.extend({ state: z.string().nullish() });
const ApiGroup = z.object({ id: z.number().int() });

/**
 * Users and groups share one namespace.
 *
 * - GET /users?username=: https://docs.gitlab.com/api/users/#list-users
 * - GET /groups/:id:      https://docs.gitlab.com/api/groups/#retrieve-a-group
 */
export const findsNames = ({ api }: Pick<GitlabContext, 'api'>): FindsNames => ({
  findName: async (name, signal) => {
    const users = name.includes('/')
      ? []
      : await api.read(readableItems(ApiListedUser), signal, (options) => new Users(options).all({ username: name }));
    const [user] = users.filter(({ username }) => username.toLowerCase() === name.toLowerCase());
    if (user !== undefined)
      return (user.state ?? 'active') === 'active' ? { kind: 'person', account: toAccount(user) } : null;
    const group = await orNullAtPath(
      api.read(ApiGroup, signal, (options) => new Groups(options).show(name, { withProjects: false })),
    );
    return group === null ? null : { kind: 'group' };
  },
});
