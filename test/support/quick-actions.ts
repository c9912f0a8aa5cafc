const LINE_BREAKS = new RegExp(String.raw`[\n\v\f\u0085\u2028\u2029]`);
const COMMAND = /^[\s\p{Cf}]*\/[a-z]/iu;

/**
 * Stricter than GitLab's rule for quick actions. GitLab deletes carriage returns, then runs each line outside of code that
 * starts with a slash and a command name. This check also accepts any other line break, leading white space, any letter as
 * a command, and lines in code.
 */
export const quickActionsIn = (body: string): readonly string[] =>
  [body.replaceAll('\r', ''), body.replaceAll('\r', '\n')].flatMap((reading) =>
    reading.split(LINE_BREAKS).filter((line) => COMMAND.test(line)),
  );

export const QUICK_ACTIONS: readonly string[] = (
  'approve unapprove merge close reopen rebase ship run_pipeline target_branch request_changes submit_review draft ' +
  'ready label unlabel relabel assign unassign reassign reviewer request_review unassign_reviewer title lock unlock ' +
  'spend estimate copy_metadata react confidential milestone remove_milestone todo done subscribe unsubscribe due ' +
  'duplicate move clone promote create_merge_request award cc tableflip shrug'
).split(' ');
