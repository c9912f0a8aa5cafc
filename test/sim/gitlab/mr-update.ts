import { type MergeRequestEdit, editMergeRequest } from './mr-edit.ts';
import { interpret } from './quick-actions.ts';
import type { SimMergeRequest, SimUser, World } from './world.ts';

/** Quick actions in a description run too and are removed (forges.md 3.5). */
export const updateMergeRequest = async (
  world: World,
  mr: SimMergeRequest,
  edit: MergeRequestEdit,
  actor: SimUser,
): Promise<void> => {
  if (edit.description === undefined) return editMergeRequest(world, mr, edit, actor);
  const { text } = await interpret({ world, mr, actor }, edit.description);
  return editMergeRequest(world, mr, { ...edit, description: text }, actor);
};
