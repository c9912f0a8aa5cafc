import type { CliPowers } from '../../../../shared/claude-code/invocation.ts';

/**
 * Reading is allowed below the workspace and nowhere else. What the service itself can read is denied by name as well.
 * Glob is left out on purpose: it lists names outside of the workspace, whatever the permissions say (CLI 2.1). Grep has
 * a pattern of paths.
 */
export const REVIEWER_PERMISSIONS: CliPowers = {
  tools: ['Read', 'Grep'],
  allow: ['Read(./**)'],
  deny: ['Read(~/**)', 'Read(//proc/**)', 'Read(//sys/**)', 'Read(//dev/**)'],
};
