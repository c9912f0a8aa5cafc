/** The field `channel` of messages about one of many projects: the forge and the id of the project, as in `forgejo-42`. */
import { ForgeId } from '../vocabulary/ids.ts';

type Project = { readonly forge: string; readonly projectId: number };

export const channelOf = ({ forge, projectId }: Project): string => `${forge}-${projectId}`;

/** Null for a text of another form. */
export const parseChannel = (text: string): Project | null => {
  const dash = text.lastIndexOf('-');
  const forge = ForgeId.safeParse(text.slice(0, Math.max(0, dash)));
  const id = text.slice(dash + 1);
  return forge.success && /^[1-9][0-9]{0,14}$/.test(id) ? { forge: forge.data, projectId: Number(id) } : null;
};
