import type { Config } from '../config/load.ts';
import type { ReachedProject } from '../config/projects/message-reach.ts';
import { settingsOf } from '../config/project-settings.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';

/** What a reviewer or an author knows about the project of its work. */
export type ProjectBrief = {
  readonly changeRequest: ChangeRequest;
  /** Undefined if the forge did not say it to guard, or if an older version made the brief. */
  readonly projectPath?: string | undefined;
  readonly git: { readonly url: string };
};

/**
 * The settings of the project as it was called when the work began, so that a rename in the meantime changes nothing.
 * No request to the forge is needed.
 */
export const settingsOfBrief = (config: Config, brief: ProjectBrief): Config =>
  settingsOf(config, projectOfBrief(config, brief));

export const projectOfBrief = (
  { forges }: Pick<Config, 'forges'>,
  { changeRequest: { forge, projectId }, projectPath, git }: ProjectBrief,
): ReachedProject & { readonly path: string } => {
  const { baseUrl = '' } = forges.find(({ id }) => id === forge) ?? {};
  return { forge, projectId, path: projectPath ?? projectIn(git.url, baseUrl) };
};

/** Extracts `owner/name` from `https://forge.example/sub/owner/name.git`, for a forge below `/sub`. */
export const projectIn = (gitUrl: string, baseUrl: string): string => {
  const below = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, '') : '';
  const { pathname } = new URL(gitUrl);
  const path = pathname.startsWith(`${below}/`) ? pathname.slice(below.length) : pathname;
  return decodeURIComponent(path)
    .replace(/^\/+/, '')
    .replace(/\.git$/, '');
};
