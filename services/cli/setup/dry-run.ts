/** Lists every call that a plan would make and everything that it would write, without secrets. */
import { type ShownRequest, shownRequest } from '../../../shared/forge/admin/send.ts';
import { actionsOf } from './plan/plan.ts';
import type { SetupAction } from './plan/step.ts';
import type { ReadSetup } from './read-setup.ts';

export const shownCalls = (read: ReadSetup): readonly ShownRequest[] =>
  actionsOf(read.steps).map((action) => shownAction(read, action));

const shownAction = ({ connected, facts }: ReadSetup, action: SetupAction): ShownRequest => {
  const { administration, bot } = connected;
  switch (action.kind) {
    case 'write_config':
      return { method: 'WRITE', path: facts.config.path, body: action.text };
    case 'write_env':
      return { method: 'WRITE', path: facts.env.path, body: { variables: action.missing } };
    case 'restrict_env':
      return { method: 'CHMOD', path: facts.env.path, body: '0600' };
    case 'add_member':
      return shownRequest(administration.addMember(action.owner, bot));
    case 'create_hook':
      return shownRequest(administration.createHook(action.owner, { url: facts.hookUrl, secret: '' }));
    case 'repair_hook':
      return shownRequest(administration.repairHook(action.owner, action.id));
    case 'remove_hook':
      return shownRequest(administration.removeHook(action.owner, action.id));
    default:
      return action satisfies never;
  }
};
