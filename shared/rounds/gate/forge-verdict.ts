/**
 * The verdict as the forge itself knows it: an approval, or a request for changes, by the bot's account. An operator's
 * option, since either one can decide whether a change is merged.
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

/** Null verdict: no round was completed, whatever the reason. */
export type ForgeVerdictInput = {
  readonly policy: ForgeVerdictPolicy;
  readonly verdict: Verdict | null;
  readonly currentHead: boolean;
};

/** Null: the option is off, and the poster does not even look. Only `lgtm` for the present head ever approves. */
export const decideForgeVerdict = ({ policy, verdict, currentHead }: ForgeVerdictInput): PlannedForgeVerdict | null => {
  if (policy === 'off') return null;
  if (verdict === null || verdict === 'inconclusive' || !currentHead) return 'no_approval';
  if (verdict === 'feedback') return 'request_changes';
  return policy === 'approve_and_request_changes' ? 'approve' : 'clear';
};

/** The input changed since the plan was made: the new one has earned nothing, neither a pass nor a block. */
export const FOR_OTHER_INPUT: PlannedForgeVerdict = 'no_approval';

export type ForgeVerdictStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'give'; readonly verdict: ForgeVerdict }
  | { readonly kind: 'withdraw'; readonly which: readonly ForgeVerdict[] };

const NOTHING: ForgeVerdictStep = { kind: 'nothing' };
const give = (verdict: ForgeVerdict): ForgeVerdictStep => ({ kind: 'give', verdict });

/** From what stands to what shall stand: one step, and none the second time. */
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
      // One for an earlier head blocks as well as a new one, and asks nobody again.
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

/** Given for this head; what a human has lifted since stays lifted, unless they ask again. */
const isGiven = (verdict: ForgeVerdict, standing: StandingVerdict | null, head: CommitSha): boolean =>
  standing?.verdict === verdict && !standing.askedAgain && (standing.head === null || standing.head === head);

const WHAT: Readonly<Record<ForgeVerdict, string>> = { approved: 'approval', changes_requested: 'request for changes' };

const WHY: Readonly<Record<VerdictRefusal, string>> = {
  own: 'the account of the bot opened this change request itself',
  forbidden: 'the account of the bot may not do this here',
  unpublished_draft: 'an unpublished review by the account of the bot is in the way',
  not_a_reviewer: 'the account of the bot is not among the reviewers',
  not_offered: 'this forge does not offer it',
  head_moved: 'the head has moved on',
};

/** For the summary: what the forge refused is said where the verdict stands. */
export const refusedText = (step: Exclude<ForgeVerdictStep, { kind: 'nothing' }>, refusal: VerdictRefusal): string => {
  if (step.kind === 'give') return `_The forge has no ${WHAT[step.verdict]} by the bot: ${WHY[refusal]}._`;
  const what = step.which.map((each) => WHAT[each]).join(' or ');
  return `_An earlier ${what} by the bot may still stand on the forge: ${WHY[refusal]}._`;
};
