import { ProjectMembers } from '@gitbeaker/rest';
import { hasForgeCode } from '../../errors.ts';
import type { Permission } from '../../port-facts.ts';
import type { ReadsPermission } from '../../port.ts';
import type { GitlabContext } from '../api/context.ts';
import { ApiMember } from '../api/schema.ts';

/** Levels: https://docs.gitlab.com/api/access_requests/#valid-access-levels. A custom role has the level of its base role. */
const MAINTAINER = 40;
const DEVELOPER = 30;
const GUEST = 10;

export const permissionOf = (member: Pick<ApiMember, 'access_level' | 'state' | 'membership_state'>): Permission => {
  const isActive = (member.state ?? 'active') === 'active' && (member.membership_state ?? 'active') === 'active';
  if (!isActive || member.access_level < GUEST) return 'none';
  if (member.access_level >= MAINTAINER) return 'admin';
  return member.access_level >= DEVELOPER ? 'write' : 'read';
};

/**
 * Includes inherited and invited members. An account that is not a member has no permission, even in a public project.
 * GET /projects/:id/members/all/:user_id: https://docs.gitlab.com/api/project_members/
 */
export const readsPermission = ({ api }: GitlabContext): ReadsPermission => ({
  fetchPermission: async (projectId, { id }, signal) => {
    try {
      const member = await api.read(ApiMember, signal, (options) =>
        new ProjectMembers(options).show(projectId, id, { includeInherited: true }),
      );
      return member.id === id ? permissionOf(member) : 'none';
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'none';
      if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'undetermined';
      throw error;
    }
  },
});
