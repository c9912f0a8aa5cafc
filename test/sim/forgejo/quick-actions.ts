/**
 * Forgejo and Gitea have no quick actions, but bodies are still checked with a stricter rule than GitLab's (GL
 * lib/gitlab/quick_actions/extractor.rb, forges.md 3.5), because the same text may be copied to GitLab. The rule also
 * matches inside code, quotes and lists, where GitLab runs nothing.
 */
import type { World } from './world.ts';

const commands =
  'approve|assign|assign_reviewer|award|blocked_by|blocks|board_move|child_of|clear_health_status|clear_weight|clone|close|cc|confidential|convert_to_ticket|copy_metadata|create_merge_request|done|draft|due|duplicate|epic|estimate|estimate_time|health_status|invite_email|iteration|label|labels|link|lock|merge|milestone|move|page|parent_epic|promote|promote_to|promote_to_incident|publish|react|ready|reassign|reassign_reviewer|rebase|relabel|relate|remove_child_epic|remove_due_date|remove_email|remove_epic|remove_estimate|remove_iteration|remove_milestone|remove_parent|remove_parent_epic|remove_time_spent|remove_zoom|reopen|request_changes|request_review|reviewer|run_pipeline|series|set_parent|severity|ship|shrug|spend|spent|spend_time|status|submit_review|subscribe|tableflip|tag|target_branch|timeline|title|todo|type|unapprove|unassign|unassign_reviewer|unblock|unlabel|unlink|unlock|unsubscribe|weight|wip|zoom';

// Invisible or structural characters may precede the slash: spaces, quote marks, list marks, zero-width characters.
const before = String.raw`[\s\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff>*+\-\d.()|]*`;
const pattern = new RegExp(`^${before}/(?:${commands})(?![\\w-])`, 'iu');

/** The lines that GitLab might take for a command. */
export const findQuickActions = (body: string): readonly string[] =>
  body.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u).filter((line) => pattern.test(line));

export const recordQuickActions = (world: World, actor: string, where: string, body: string): void => {
  for (const line of findQuickActions(body)) world.quickActions.push({ actor, where, line });
};
