/** Writes the comments about fixes. Only the reasons for declining a finding come from a model. */
import { shortSha } from './finding-text.ts';
import type { FixReport } from '../../model/fix-brief.ts';
import { mistakeIn } from './mistake-words.ts';
import type { Fix, FixRefusal } from '../../model/fixes.ts';
import { commandNames } from '../../model/validations.ts';
import type { CommitSha, FindingId } from '../../../vocabulary/ids.ts';

const listed = (ids: readonly FindingId[]): string => (ids.length === 0 ? 'no finding by id' : ids.join(', '));

export const pushedText = (fix: Fix, { addressedFindingIds, touchedFiles }: FixReport, pushed: CommitSha): string => {
  const files = touchedFiles.length === 1 ? 'one file' : `${touchedFiles.length} files`;
  return (
    `**Fix ${fix.number}**: pushed ${shortSha(pushed)} for review ${fix.review}. The fix addresses ` +
    `${listed(addressedFindingIds)} and touches ${files}. The next review checks the fix.`
  );
};

export const headMovedText = (fix: Fix): string =>
  `**Fix ${fix.number}**: the source branch moved on from ${shortSha(fix.head)} before the fix was pushed, so nothing was ` +
  `pushed. Ask for another fix once the newer commit has been reviewed.`;

export const declineText = (id: FindingId, reason: string): string => `The author of the fix declined ${id}: ${reason}`;

/** Codes with which the author stops. Any other code is a failure. */
const STOPS: Readonly<Record<string, string>> = {
  EMPTY_CHANGE: 'the author changed nothing',
  TREE_SEEN: 'the change restored an earlier state of the branch',
  CHANGE_REFUSED: 'the change touched files that a fix must not change',
  CHANGE_TOO_LARGE: 'the change was larger than the limit for fixes',
  BRANCH_PROTECTED: 'the source branch is protected',
  SOURCE_IN_FORK: 'the source branch is in a fork',
  NOT_ALLOWED: 'the account that asked for the fix no longer has permission to give the bot commands',
  PUSH_REFUSED: 'the forge refused the push',
  VALIDATION_FAILED: 'the change fails a validation command that the head passes',
  NO_CAGE:
    'the author needs a cage, which is not available: install bubblewrap (`fixpoint doctor` shows what is ' +
    'missing), or set `sandbox.backend = "none"` to allow the author to work without a cage',
  ALL_DECLINED: 'the author declined every finding; see the threads for the reasons',
  FIX_OVERDUE: 'the author did not report in time',
};

/** `validations`: names of the commands that prevented the push. */
export const fixHandoffText = (fix: Fix, code: string, validations: readonly string[]): string => {
  const why = STOPS[code] ?? mistakeIn(code) ?? 'the author failed';
  const which = code === 'VALIDATION_FAILED' && validations.length > 0 ? `: ${commandNames(validations)}` : '';
  return (
    `**The fix was not pushed.** Fix ${fix.number} of ${shortSha(fix.head)} ended without a push: ${why}${which} (\`${code}\`). ` +
    `The findings of review ${fix.review} remain open.`
  );
};

const REFUSALS: Readonly<Record<FixRefusal, string>> = {
  not_allowed: 'Only accounts with write access to the project can ask for a fix.',
  off: 'Fixes by the bot are not enabled for this change request.',
  fork: 'The bot never pushes to a fork. You can apply its suggestions by hand.',
  protected: 'The bot never pushes to a protected or default branch.',
  busy: 'A review or a fix is running. Ask again when it has ended.',
  not_reviewed: 'The newest commit has no verdict yet. Ask again when it has been reviewed.',
  nothing: 'No finding blocks this change, so there is nothing to fix.',
  cap: 'This change request has no fixes left. A human must take the next step.',
};

export const fixRefusalText = (refusal: FixRefusal): string => REFUSALS[refusal];
