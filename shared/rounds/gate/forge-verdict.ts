/**
 * Decides on the bot's approval or request for changes. The operator has to enable this, because both can decide
 * whether the change is merged.
 */
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { Verdict } from '../../vocabulary/finding.ts';
import type {
  ForgeVerdict,
  ForgeVerdictPolicy,
  PlannedForgeVerdict,
  StandingVerdict,
  VerdictRefusal,
} from '../../vocabulary/forge-verdict.ts';

/** `verdict` is null if no review was completed. */
export type ForgeVerdictInput = {
  readonly policy: ForgeVerdictPolicy;
  readonly verdict: Verdict | null;
  readonly currentHead: boolean;
};

/** Returns null if the option is off: then the poster does not check the forge. Only `lgtm` for the current head approves. */
export const decideForgeVerdict = ({ policy, verdict, currentHead }: ForgeVerdictInput): PlannedForgeVerdict | null => {
  if (policy === 'off') return null;
  if (verdict === null || verdict === 'inconclusive' || !currentHead) return 'no_approval';
  if (verdict === 'feedback') return 'request_changes';
  return policy === 'approve_and_request_changes' ? 'approve' : 'clear';
};

/** The verdict for an input that changed after the plan was made: neither a pass nor a block. */
export const FOR_OTHER_INPUT: PlannedForgeVerdict = 'no_approval';

export type ForgeVerdictStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'give'; readonly verdict: ForgeVerdict }
  | { readonly kind: 'withdraw'; readonly which: readonly ForgeVerdict[] };

const NOTHING: ForgeVerdictStep = { kind: 'nothing' };
const give = (verdict: ForgeVerdict): ForgeVerdictStep => ({ kind: 'give', verdict });

/** Returns the one step from the verdict on the forge to the planned verdict; `nothing` if they are equal. */
export const stepTowards = (
  planned: PlannedForgeVerdict,
  standing: StandingVerdict | null,
  head: CommitSha,
): ForgeVerdictStep => {
  const stands = standing !== null && !standing.dismissed ? standing.verdict : null;
  switch (planned) {
    case 'approve':
      return isGiven('approved', standing, head) ? NOTHING : give('approved');
    case 'request_changes':
      // A request for changes at an earlier head still blocks, so it is not repeated.
      return (stands === 'changes_requested' && standing?.askedAgain !== true) ||
        isGiven('changes_requested', standing, head)
        ? NOTHING
        : give('changes_requested');
    case 'clear':
      return stands === null ? NOTHING : { kind: 'withdraw', which: ['approved', 'changes_requested'] };
    case 'no_approval':
      return stands === 'approved' ? { kind: 'withdraw', which: ['approved'] } : NOTHING;
    default:
      return planned satisfies never;
  }
};

/** True if the verdict was given for this head. If a human dismissed it, it is only given again when they ask for it. */
const isGiven = (verdict: ForgeVerdict, standing: StandingVerdict | null, head: CommitSha): boolean =>
  standing?.verdict === verdict && !standing.askedAgain && (standing.head === null || standing.head === head);

const WHAT: Readonly<Record<ForgeVerdict, string>> = { approved: 'approval', changes_requested: 'request for changes' };

const WHY: Readonly<Record<VerdictRefusal, string>> = {
  own: "the bot's account opened this change request itself",
  forbidden: "the bot's account does not have permission to do this",
  unpublished_draft: "an unpublished review by the bot's account prevents this",
  not_a_reviewer: "the bot's account is not a reviewer",
  not_offered: 'this forge does not support this',
  head_moved: 'the head has changed since the review',
};

export const refusedText = (step: Exclude<ForgeVerdictStep, { kind: 'nothing' }>, refusal: VerdictRefusal): string => {
  if (step.kind === 'give') return `_The forge has no ${WHAT[step.verdict]} by the bot: ${WHY[refusal]}._`;
  const what = step.which.map((each) => WHAT[each]).join(' or ');
  return `_An earlier ${what} by the bot may still be in effect on the forge: ${WHY[refusal]}._`;
};
