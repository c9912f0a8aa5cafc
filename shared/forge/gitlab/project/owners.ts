import { Groups, RepositoryFiles, Users } from '@gitbeaker/rest';
import { z } from 'zod';
import { readFileText } from '../../file-text.ts';
import type { FindsNames, ReadsFiles } from '../../port-owners.ts';
import { type GitlabContext, toAccount } from '../api/context.ts';
import { orNull } from '../api/or-null.ts';
import { ApiUser } from '../api/schema.ts';

const ApiFile = z.object({ size: z.number().int().nonnegative(), content: z.string() });

/**
 * By its full name: a tag may have the name of the branch.
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

/** Of accounts that are blocked or deactivated the list says so. */
const ApiListedUser = ApiUser.extend({ state: z.string().nullish() });
const ApiGroup = z.object({ id: z.number().int() });

/**
 * Groups and people share their names.
 *
 * - GET /users?username=: https://docs.gitlab.com/api/users/#list-users
 * - GET /groups/:id:      https://docs.gitlab.com/api/groups/#retrieve-a-group
 */
export const findsNames = ({ api }: Pick<GitlabContext, 'api'>): FindsNames => ({
  findName: async (name, signal) => {
    const users = name.includes('/')
      ? []
      : await api.read(z.array(ApiListedUser), signal, (options) => new Users(options).all({ username: name }));
    const [user] = users.filter(({ username }) => username.toLowerCase() === name.toLowerCase());
    if (user !== undefined)
      return (user.state ?? 'active') === 'active' ? { kind: 'person', account: toAccount(user) } : null;
    const group = await orNull(
      api.read(ApiGroup, signal, (options) => new Groups(options).show(name, { withProjects: false })),
    );
    return group === null ? null : { kind: 'group' };
  },
});
