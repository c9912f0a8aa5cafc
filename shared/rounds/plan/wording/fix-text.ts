/** The words about fixes. None of them is a model's, but for the reasons of declines. */
import { shortSha } from './finding-text.ts';
import type { FixReport } from '../../model/fix-brief.ts';
import { mistakeIn } from './mistake-words.ts';
import type { Fix, FixRefusal } from '../../model/fixes.ts';
import { commandNames } from '../../model/validations.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';

const listed = (ids: readonly FindingId[]): string => (ids.length === 0 ? 'no finding by its id' : ids.join(', '));

export const pushedText = (fix: Fix, { addressedFindingIds, touchedFiles }: FixReport, pushed: CommitSha): string => {
  const files = touchedFiles.length === 1 ? 'one file' : `${touchedFiles.length} files`;
  return (
    `**Fix ${fix.number}**: ${shortSha(pushed)} answers round ${fix.round}. It addresses ` +
    `${listed(addressedFindingIds)} and touches ${files}. The next round checks it.`
  );
};

export const headMovedText = (fix: Fix): string =>
  `**Fix ${fix.number}**: the head moved away from ${shortSha(fix.head)} before the fix was pushed, so nothing was ` +
  `pushed. A fix of the newer head can be asked for once it is reviewed.`;

export const declineText = (id: FindingId, reason: string): string =>
  `${id} is left as it is by the author of the fix: ${reason}`;

/** Plain words for the codes with which an author stops; every other code stands for a failure. */
const STOPS: Readonly<Record<string, string>> = {
  EMPTY_CHANGE: 'the author changed nothing',
  TREE_SEEN: 'the author came back to a state that was there before',
  CHANGE_REFUSED: 'the change touched what a fix may not touch',
  CHANGE_TOO_LARGE: 'the change was larger than a fix may be',
  BRANCH_PROTECTED: 'the source branch is protected',
  SOURCE_IN_FORK: 'the source branch lies in a fork',
  NOT_ALLOWED: 'the account that asked for it may not command the bot any more',
  PUSH_REFUSED: 'the forge refused the push',
  VALIDATION_FAILED: 'the change does not pass a validation command that the head passes',
  NO_CAGE:
    'the author works in a cage and there is none: install bubblewrap (`fixpoint doctor` says what is in ' +
    'the way), or set `sandbox.backend = "none"` to let it work without one',
  ALL_DECLINED: 'the author declined every finding; the reasons stand in the threads',
  FIX_OVERDUE: 'the author did not report in time',
};

/** `validations`: names of the commands that kept it from its push. */
export const fixHandoffText = (fix: Fix, code: string, validations: readonly string[]): string => {
  const why = STOPS[code] ?? mistakeIn(code) ?? 'the author failed';
  const which = code === 'VALIDATION_FAILED' && validations.length > 0 ? `: ${commandNames(validations)}` : '';
  return (
    `Fix ${fix.number} of ${shortSha(fix.head)} ended without a push: ${why}${which} (\`${code}\`). ` +
    `The findings of round ${fix.round} stand.`
  );
};

const REFUSALS: Readonly<Record<FixRefusal, string>> = {
  not_allowed: 'Only accounts with write access to the project can ask for a fix.',
  off: 'Fixes by the bot are not switched on for this change request.',
  fork: 'The bot never pushes to a fork. Its suggestions can be applied by hand.',
  protected: 'The bot never pushes to a protected or default branch.',
  busy: 'A review or a fix is under way. Ask again when it is done.',
  not_reviewed: 'The newest head has no verdict yet. Ask again when it is reviewed.',
  nothing: 'No finding blocks this change, so there is nothing to fix.',
  cap: 'The fixes of this change request are used up. The next step belongs to a human.',
};

export const fixRefusalText = (refusal: FixRefusal): string => REFUSALS[refusal];
