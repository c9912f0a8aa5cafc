import { Projects } from '@gitbeaker/rest';
import { ForgeRequestError } from '../../errors.ts';
import type { GitSource, Project } from '../../port-facts.ts';
import type { LocatesGit, ReadsProject } from '../../port.ts';
import type { GitlabContext } from '../api/context.ts';
import { orNull, orNullAtPath } from '../api/or-null.ts';
import type { GitlabApi } from '../api/requester.ts';
import { ApiProject } from '../api/schema.ts';

const whyUnusable = ({ archived, merge_requests_enabled: hasRequests }: ApiProject): Project['unusable'] => {
  if (archived === true) return 'archived';
  return hasRequests === false ? 'change_requests_off' : null;
};

const toProject = (project: ApiProject): Project => ({
  id: project.id,
  path: project.path_with_namespace,
  webUrl: project.web_url,
  defaultBranch: project.default_branch ?? '',
  unusable: whyUnusable(project),
});

/** Path parts that GitLab allows and that have no special meaning to git or a URL parser. A part may begin with a dot. */
const SAFE_PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,255}$/;

const isSafePath = (path: string): boolean => {
  const parts = path.split('/');
  return parts.length >= 2 && parts.every((part) => SAFE_PART.test(part));
};

/** GET /projects/:id, by id or path: https://docs.gitlab.com/api/projects/#retrieve-a-project */
export const ask = (api: GitlabApi, idOrPath: number | string, signal: AbortSignal): Promise<ApiProject> =>
  api.read(ApiProject, signal, (options) => new Projects(options).show(idOrPath));

export const rememberProjectUrls = (api: GitlabApi): GitlabContext['projectUrl'] => {
  const known = new Map<number, string>();
  return async (projectId, signal) => {
    const url = known.get(projectId) ?? (await ask(api, projectId, signal)).web_url;
    known.set(projectId, url);
    return url;
  };
};

export const readsProject = ({ api }: GitlabContext): ReadsProject => {
  const orNothing = (found: ApiProject | null): Project | null => (found === null ? null : toProject(found));
  return {
    fetchProject: async (id, signal) => orNothing(await orNull(ask(api, id, signal))),
    findProject: async (path, signal) =>
      isSafePath(path) ? orNothing(await orNullAtPath(ask(api, path, signal))) : null,
  };
};

const cloneUrl = (base: URL, project: ApiProject): string => {
  if (!isSafePath(project.path_with_namespace)) {
    throw new ForgeRequestError({
      code: 'FORGE_BAD_ANSWER',
      message: 'the forge sent a project name with invalid characters',
      disposition: { kind: 'fail' },
      fields: { project: project.id },
    });
  }
  return new URL(`${base.pathname === '/' ? '' : base.pathname}/${project.path_with_namespace}.git`, base).href;
};

/** `refs/merge-requests/N/head` of the target project also exists for forks and deleted forks. */
export const locatesGit = ({ api, base }: GitlabContext): LocatesGit => ({
  locateGit: async (of, signal): Promise<GitSource> => ({
    url: cloneUrl(base, await ask(api, of.projectId, signal)),
    headRef: `refs/merge-requests/${of.number}/head`,
  }),
});
