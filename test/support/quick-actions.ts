/**
 * A strict superset of GitLab's rule for quick actions. GitLab deletes carriage returns, then runs a line that begins
 * with a slash and the name of a command, in any case, outside of code. This one also takes every other line break for
 * one, allows any white space in front, takes any letter for a command, and looks into code and quotes as well.
 */
export const quickActionsIn = (body: string): readonly string[] =>
  body
    .replaceAll('\r', '')
    .split(/[\n\u000b\u000c\u0085\u2028\u2029]/)
    .filter((line) => /^[\s\p{Cf}]*\/[a-z]/iu.test(line));

export const QUICK_ACTIONS: readonly string[] = (
  'approve unapprove merge close reopen rebase ship run_pipeline target_branch request_changes submit_review draft ' +
  'ready label unlabel relabel assign unassign reassign reviewer request_review unassign_reviewer title lock unlock ' +
  'spend estimate copy_metadata react confidential milestone remove_milestone todo done subscribe unsubscribe due ' +
  'duplicate move clone promote create_merge_request award cc tableflip shrug'
).split(' ');
