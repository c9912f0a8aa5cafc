import { z } from 'zod';
import { Id, OptionalText } from './fields.ts';

/** Old system hooks carry an empty project. */
export const GitlabProject = z.object({ id: Id.nullish(), path_with_namespace: OptionalText }).nullish();
export type GitlabProject = z.output<typeof GitlabProject>;

export type NamedProject = { readonly projectId: number; readonly projectPath: string | null };

/**
 * The project that the change request targets. The path is known only when it is that project's own: a pipeline of a
 * fork names the fork. Null when the payload names no project at all.
 */
export const nameProject = (project: GitlabProject, targetId: number | null | undefined): NamedProject | null => {
  const ownId = project?.id ?? null;
  const projectId = targetId ?? ownId;
  if (projectId === null) return null;
  return { projectId, projectPath: projectId === ownId ? project?.path_with_namespace || null : null };
};
