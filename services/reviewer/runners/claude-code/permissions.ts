import type { CliPowers } from '../../../../shared/claude-code/invocation.ts';

/**
 * Reading is allowed only below the workspace; paths that the service itself can read are also denied by name. Glob is left
 * out because it lists names outside the workspace, whatever the permissions say (CLI 2.1).
 */
export const REVIEWER_PERMISSIONS: CliPowers = {
  tools: ['Read', 'Grep'],
  allow: ['Read(./**)'],
  deny: ['Read(~/**)', 'Read(//proc/**)', 'Read(//sys/**)', 'Read(//dev/**)'],
};
