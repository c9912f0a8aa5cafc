/** Which external programs belong to a project, and whether one of them reviews where one must. */
import { settingsOf } from '../../../shared/config/project-settings.ts';
import type { Config } from '../../../shared/config/load.ts';
import { authorsFor, reviewerFor } from '../../../shared/config/projects/message-reach.ts';
import { fail, ok, type Seen } from './check.ts';

export const programsSeen = (
  config: Config,
  forge: string,
  { id, path }: { readonly id: number; readonly path: string },
): readonly Seen[] => {
  const project = { forge, projectId: id, path };
  const isAsked = settingsOf(config, { forge, path }).review.runner === 'messages';
  const reviewer = isAsked ? reviewerFor(config, project) : null;
  const programs = [
    ...(reviewer === null ? [] : [`reviewer ${reviewer}`]),
    ...authorsFor(config, project).map((name) => `author ${name}`),
  ];
  return [
    ...(programs.length === 0 ? [] : [ok(`${path}: external programs: ${programs.join(', ')}`)]),
    ...(isAsked && reviewer === null
      ? [
          fail(
            `${path}: review.runner is "messages", and no [[messages.client]] of this project is a reviewer, so every review fails`,
            `add a reviewer with match = ["${path}"] or project_id = ${id}, or set another runner in a [[project]]`,
          ),
        ]
      : []),
  ];
};
