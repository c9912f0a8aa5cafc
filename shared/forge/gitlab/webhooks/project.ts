import { z } from 'zod';
import { Id, OptionalText } from '../../../webhooks/fields.ts';

/** Old system hooks send an empty project. */
export const GitlabProject = z.object({ id: Id.nullish(), path_with_namespace: OptionalText }).nullish();
export type GitlabProject = z.output<typeof GitlabProject>;

export type NamedProject = { readonly projectId: number; readonly projectPath: string | null };

/** The path is null if the payload is about another project, such as a fork. Returns null if the payload names no project. */
export const nameProject = (project: GitlabProject, targetId: number | null | undefined): NamedProject | null => {
  const ownId = project?.id ?? null;
  const projectId = targetId ?? ownId;
  if (projectId === null) return null;
  return { projectId, projectPath: projectId === ownId ? project?.path_with_namespace || null : null };
};
