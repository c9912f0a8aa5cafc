/** Which projects an external program may see and write about. It is asked for every request, because projects move. */
import { type ClientReach, reaches, type WithClients } from '../../shared/config/projects/message-reach.ts';
import type { BoxProject } from '../../shared/mailbox/mail-of-projects.ts';
import type { KnownPaths } from '../../shared/store/known-paths.ts';

/** A project as an external program sees it. */
export type SeenProject = {
  readonly forge: string;
  readonly id: number;
  /** Null for a client of one project by its id, whose path may be unknown. */
  readonly path: string | null;
};

/** Null: the client may not see the project, or the project is unknown. Both look the same to the client. */
export type ClientRights = (client: ClientReach, project: BoxProject) => Promise<SeenProject | null>;

export const createClientRights =
  (config: Pick<WithClients, 'forges'>, paths: Pick<KnownPaths, 'load'>): ClientRights =>
  async (client, { forge, projectId }) => {
    const path = client.match === null ? null : await paths.load({ forge, projectId });
    return reaches(config, client, { forge, projectId, path }) ? { forge, id: projectId, path } : null;
  };
