import { AppError } from '../../../shared/errors.ts';
import { changeRequestOf, type NotifyAbout, type NotifyEvent, eventPlaceOf } from '../../../shared/notify/event.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import type { NotifyDeps } from './deps.ts';

/** `failure`: the error code if the request to the forge failed; null if it succeeded or if no request was needed. */
export type FoundAbout = { readonly about: NotifyAbout; readonly failure: string | null };

export const NOTHING_FOUND: NotifyAbout = { project: null, url: null, number: null };

/** Looks up the project by its numeric id, which stays the same after a rename. */
export const findAbout = async (
  { forges }: Pick<NotifyDeps, 'forges'>,
  event: NotifyEvent,
  signal: AbortSignal,
): Promise<FoundAbout> => {
  const { forge: id, projectId } = eventPlaceOf(event);
  const forge = id === null ? undefined : forges.get(id);
  if (forge === undefined || projectId === null) return { about: NOTHING_FOUND, failure: null };
  try {
    const project = await forge.read.fetchProject(projectId, signal);
    if (project === null) return { about: NOTHING_FOUND, failure: null };
    const number = changeRequestOf(event)?.number;
    const { changeRequestPath, sigil } = factsOf(forge.kind);
    const page = number === undefined ? '' : `${changeRequestPath}${number}`;
    const shown = number === undefined ? null : `${sigil}${number}`;
    const url = `${project.webUrl}${page}`;
    const isShort = project.path.length <= 1_000 && url.length <= 2_000;
    return { about: isShort ? { project: project.path, url, number: shown } : NOTHING_FOUND, failure: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { about: NOTHING_FOUND, failure: error.code };
  }
};
