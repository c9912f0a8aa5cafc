import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { readFileText } from '../file-text.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { FindsNames, ReadsFiles } from '../port-owners.ts';
import type { ForgejoContext } from './context.ts';
import { ApiUser } from './schema.ts';

/** A folder is answered with the list of what is in it. `content` is null for what is no file, or too large. */
const ApiContents = z.union([
  z.object({ type: z.string(), size: z.number().int().nonnegative(), content: z.string().nullish() }),
  z.array(z.unknown()),
]);

/** Every segment is encoded by itself: the route takes the slashes as they are. */
const contentsPath = (repository: { readonly owner: string; readonly name: string }, path: string): ApiPath => {
  const folder = apiPath`/api/v1/repos/${repository.owner}/${repository.name}/contents`;
  // Both parts are encoded.
  return path.split('/').reduce<ApiPath>((whole, part) => `${whole}${apiPath`/${part}`}` as ApiPath, folder);
};

/** GET /repos/{owner}/{repo}/contents/{filepath}: https://codeberg.org/api/swagger#/repository/repoGetContents */
export const readsFiles = ({ http, projects }: ForgejoContext): ReadsFiles => ({
  fetchFile: async ({ projectId, branch, path }, maxBytes, signal) =>
    readFileText(maxBytes, async () =>
      projects.withProject(projectId, signal, async ({ owner, name }) => {
        const file = contentsPath({ owner: owner.login, name }, path);
        const { value } = await http.read({ path: file, query: { ref: branch }, schema: ApiContents }, signal);
        if (Array.isArray(value)) return { size: 0, base64: null };
        return { size: value.size, base64: value.type === 'file' ? (value.content ?? null) : null };
      }),
    ),
});

/**
 * A team stands behind its organisation, and can be asked for by its members alone: it is taken at its word. An
 * organisation is answered like a person; a mention of one reaches nobody.
 * GET /users/{username}: https://codeberg.org/api/swagger#/user/userGet
 */
export const findsNames = ({ http }: ForgejoContext): FindsNames => ({
  findName: async (name, signal) => {
    if (name.includes('/')) return { kind: 'group' };
    try {
      const { value } = await http.read({ path: apiPath`/api/v1/users/${name}`, schema: ApiUser }, signal);
      // One that was renamed is answered under its new name.
      return { kind: 'person', account: { id: value.id, login: value.login } };
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
      throw error;
    }
  },
});
