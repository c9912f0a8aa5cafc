/** Decides which receivers get which events. */
import type { NotifyHook } from '../config/notify-settings.ts';
import { inScope, parseProjectScope } from '../config/projects/project-scope.ts';
import { type NotifyEvent, eventPlaceOf } from './event.ts';

type Filters = Pick<NotifyHook, 'events' | 'forges' | 'projects'>;

/** `unknown`: the answer depends on the path of the project, which is not known. */
export type Wanted = 'yes' | 'no' | 'unknown';

/** An event without a project goes only to receivers without a project filter. */
export const wantsEvent = ({ events, forges, projects }: Filters, event: NotifyEvent, path: string | null): Wanted => {
  if (!events.includes(event.kind)) return 'no';
  const { forge, projectId } = eventPlaceOf(event);
  if (forges.length > 0 && (forge === null || !forges.includes(forge))) return 'no';
  if (projects.length === 0) return 'yes';
  if (projectId === null) return 'no';
  if (path === null) return 'unknown';
  return inScope(parseProjectScope(projects), path) ? 'yes' : 'no';
};
