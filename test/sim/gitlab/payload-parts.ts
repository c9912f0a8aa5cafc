import { commitFacts, webUrl } from './mr-facts.ts';
import { namespacePath, projectPath } from './paths.ts';
import type { SimLabel, SimProject, SimUser, World } from './world.ts';

export type Json = Record<string, unknown>;

/** `2025-08-05 21:48:25 UTC`: webhooks use another time format than the API. */
export const hookTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const hookUser = (user: SimUser): Json => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: null,
  // Webhooks hide email addresses (forges.md 2.3).
  email: '[REDACTED]',
});

export const hookProject = (world: World, project: SimProject): Json => {
  const path = projectPath(project);
  const url = webUrl(world, project);
  const ssh = `git@${new URL(world.publicUrl).hostname}:${path}.git`;
  return {
    id: project.id,
    name: project.path,
    description: null,
    web_url: url,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: `${url}.git`,
    namespace: namespacePath(project.namespace),
    visibility_level: project.visibility === 'public' ? 20 : 0,
    path_with_namespace: path,
    default_branch: project.defaultBranch,
    ci_config_path: null,
    homepage: url,
    url: ssh,
    ssh_url: ssh,
    http_url: `${url}.git`,
  };
};

export const hookRepository = (world: World, project: SimProject): Json => {
  const { name, url, description, homepage } = hookProject(world, project);
  return { name, url, description, homepage };
};

export const hookLabel = (project: SimProject, label: SimLabel): Json => ({
  id: label.id,
  title: label.name,
  color: label.color,
  project_id: project.id,
  created_at: hookTime(project.createdAt),
  updated_at: hookTime(project.createdAt),
  template: false,
  description: null,
  type: 'ProjectLabel',
  group_id: null,
});

export const hookCommit = async (world: World, project: SimProject, sha: string): Promise<Json> => {
  const commit = await commitFacts(project.gitDir, sha);
  return {
    id: commit.id,
    message: commit.message,
    title: commit.title,
    timestamp: commit.timestamp,
    url: `${webUrl(world, project)}/-/commit/${commit.id}`,
    author: { name: commit.authorName, email: '[REDACTED]' },
  };
};
