import { z } from 'zod';
import { ForgeRequestError, hasForgeCode } from '../errors.ts';
import { readFileText } from '../file-text.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { GitSource, Project } from '../port-facts.ts';
import type { ReadsFiles } from '../port-owners.ts';
import type { LocatesGit, ReadsProject } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiRepository } from './api/schema.ts';

const whyUnusable = ({ archived, has_pull_requests: hasPulls }: ApiRepository): Project['unusable'] => {
  if (archived === true) return 'archived';
  return hasPulls === false ? 'change_requests_off' : null;
};

const toProject = (repository: ApiRepository): Project => ({
  id: repository.id,
  path: `${repository.owner.login}/${repository.name}`,
  webUrl: repository.html_url,
  defaultBranch: repository.default_branch,
  unusable: whyUnusable(repository),
});

/** Names that both forges allow and that have no special meaning to git or a URL parser. */
const SAFE_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

type Named = { readonly owner: { readonly login: string }; readonly name: string };

export const cloneUrlOf = (base: URL, { owner, name }: Named): string | null =>
  SAFE_NAME.test(owner.login) && SAFE_NAME.test(name)
    ? new URL(`${base.pathname === '/' ? '' : base.pathname}/${owner.login}/${name}.git`, base).href
    : null;

const cloneUrl = (base: URL, repository: ApiRepository): string => {
  const url = cloneUrlOf(base, repository);
  if (url === null) {
    throw new ForgeRequestError({
      code: 'FORGE_BAD_ANSWER',
      message: 'the forge sent a project name with invalid characters',
      disposition: { kind: 'fail' },
      fields: { project: repository.id },
    });
  }
  return url;
};

/** Returns null when the path does not consist of two valid names. */
export const splitPath = (path: string): readonly [owner: string, name: string] | null => {
  const [owner, name, ...rest] = path.split('/');
  if (owner === undefined || name === undefined || rest.length > 0) return null;
  return SAFE_NAME.test(owner) && SAFE_NAME.test(name) ? [owner, name] : null;
};

const orNull = async <T>(reading: Promise<T>): Promise<T | null> => {
  try {
    return await reading;
  } catch (error) {
    // The forge redirects the old path of a renamed project. A project configured by its old path counts as not found.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
    throw error;
  }
};

export const readsProject = ({ http, projects }: ForgejoContext): ReadsProject => ({
  fetchProject: async (projectId, signal) => {
    projects.forget(projectId);
    return orNull(projects.withProject(projectId, signal, async (repository) => toProject(repository)));
  },
  // GET /repos/{owner}/{repo}: https://codeberg.org/api/swagger#/repository/repoGet
  findProject: async (path, signal) => {
    const parts = splitPath(path);
    if (parts === null) return null;
    const [owner, name] = parts;
    const found = await orNull(
      http.read({ path: apiPath`/api/v1/repos/${owner}/${name}`, schema: ApiRepository }, signal),
    );
    return found === null ? null : toProject(found.value);
  },
});

/** `refs/pull/N/head` of the target project also exists for forks, deleted forks and AGit pushes. */
export const locatesGit = ({ base, projects }: ForgejoContext): LocatesGit => ({
  locateGit: async (of, signal): Promise<GitSource> =>
    projects.withProject(of.projectId, signal, async (repository) => ({
      url: cloneUrl(base, repository),
      headRef: `refs/pull/${of.number}/head`,
    })),
});

/** For a folder the forge returns a list of its entries. `content` is null for anything but a file of an acceptable size. */
const ApiContents = z.union([
  z.object({ type: z.string(), size: z.number().int().nonnegative(), content: z.string().nullish() }),
  z.array(z.unknown()),
]);

/** Encodes each segment separately, because the route expects unencoded slashes. */
const contentsPath = (repository: { readonly owner: string; readonly name: string }, path: string): ApiPath => {
  const folder = apiPath`/api/v1/repos/${repository.owner}/${repository.name}/contents`;
  // The folder and each segment are encoded.
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
