/** Change requests, projects and pages of lists as addresses name them. */
import type { ProjectOfForge } from '../../../shared/store/board/pauses.ts';
import { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

export type ChangeRequestParams = { readonly forge: string; readonly projectId: string; readonly number: string };

export const ONE_CHANGE_REQUEST = '/change-requests/:forge/:projectId/:number';

export type ProjectParams = Omit<ChangeRequestParams, 'number'>;

/** Null unless the parts name a project, in the one way in which it is written. */
export const parseProject = ({ forge, projectId }: ProjectParams): ProjectOfForge | null => {
  const of = parseParams({ forge, projectId, number: '1' });
  return of === null ? null : { forge: of.forge, projectId: of.projectId };
};

/** Null unless the parts name a change request, in the one way in which it is written. */
export const parseParams = ({ forge, projectId, number }: ChangeRequestParams): ChangeRequest | null => {
  if (!/^[1-9]\d{0,15}$/.test(projectId) || !/^[1-9]\d{0,15}$/.test(number)) return null;
  const parsed = ChangeRequest.safeParse({ forge, projectId: Number(projectId), number: Number(number) });
  return parsed.success ? parsed.data : null;
};

export const pageOf = (text: string | undefined): number => (/^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) : 1);
