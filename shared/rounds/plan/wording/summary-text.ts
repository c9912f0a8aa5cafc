/** Writes the summary: one comment, edited in place, with the result of the last review. */
import { bySeverity } from '../../model/blocking.ts';
import { costLine } from './cost-line.ts';
import { counted } from './counted.ts';
import { headline } from './headline.ts';
import { itemsAfter } from './item.ts';
import { leftText } from './left-text.ts';
import { omittedFold, refutedFold, reviewedFold, settingsFold, walkthroughFold } from './summary-folds.ts';
import { ABOUT, renderSummary } from './summary-comment.ts';
import { placeText, shortSha } from './finding-text.ts';
import type { Accepted, GateResult, Unverified } from '../../model/gate-result.ts';
import type { Counts } from '../../model/counts.ts';
import type { Thread } from '../../model/history.ts';
import type { Judgement } from '../../gate/verdict.ts';
import type { Policy } from '../../model/policy.ts';
import type { ReviewDraft } from '../../model/draft.ts';
import type { SummaryBody } from '../../model/posting/post-plan.ts';
import type { Spent } from '../../../vocabulary/spent.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';
import { tableCell } from '../../../text/table-cell.ts';
import { validationText } from '../../model/validations.ts';

export type ReviewSummary = {
  readonly draft: ReviewDraft;
  readonly gated: GateResult;
  /** The threads as they were before the review. */
  readonly known: readonly Thread[];
  readonly judgement: Judgement;
  /** The counts after the review. */
  readonly counts: Counts;
  /** What the change request spent before the review. */
  readonly spentBefore: Spent | null;
  readonly policy: Pick<Policy, 'rounds' | 'costs'>;
  readonly author: string;
  readonly mention: string | undefined;
  readonly behind: boolean;
  /** The page with the target branch's `.fixpoint.toml`. Null if it is unknown. */
  readonly settingsUrl: string | null;
};

export const reviewSummary = (summary: ReviewSummary): SummaryBody => {
  const { draft, gated, judgement, counts, spentBefore, policy, author, mention } = summary;
  const items = itemsAfter(gated, draft, summary.known);
  const walkthrough = walkthroughFold(draft, leadOf(draft));
  return renderSummary({
    headline: headline({ judgement, items, where: whereOf(draft) }),
    about: aboutText(summary),
    items,
    notes: [
      walkthrough === null ? leadOf(draft) : '',
      validationText(draft.validations),
      outsideNotes(gated.accepted.filter(({ ownThread, finding }) => !ownThread && finding.unplaced !== null)),
      listedNotes(gated.accepted.filter(({ ownThread, finding }) => !ownThread && finding.unplaced === null)),
      unverifiedNotes(gated.unverified),
      leftText(draft.coverage.askFor, mention),
    ].filter((note) => note !== ''),
    folds: [
      walkthrough,
      reviewedFold(draft, gated, summary.settingsUrl),
      refutedFold(draft),
      omittedFold(draft),
      settingsFold(draft),
    ],
    foot: costLine({ spent: draft.spent, before: spentBefore, counts, review: draft.review, policy }),
    author,
    mention,
  });
};

/** The summary by the rules is left out, because it only repeats the counts. */
const leadOf = ({ runner, summary }: ReviewDraft): string => (runner === 'rules' ? '' : summary.trim());

const whereOf = ({ coverage, runner }: ReviewDraft): string =>
  `in ${counted(coverage.reviewed, 'file')}${runner === 'rules' ? ' by the built-in rules' : ''}`;

const aboutText = ({ draft, behind }: ReviewSummary): string => {
  const { reviewed, files, omitted } = draft.coverage;
  const left = omitted.length === 0 ? '' : `, ${omitted.length} not reviewed (see below)`;
  const who = draft.runner === 'rules' ? ' No model looked at this change.' : '';
  return (
    `${ABOUT}${shortSha(draft.head)}${behind ? ', which is not the newest commit' : ''}: ` +
    `${reviewed} of ${files} changed files reviewed${left}.${who}${tookOverText(draft)}`
  );
};

const tookOverText = ({ tookOver }: ReviewDraft): string =>
  tookOver === undefined
    ? ''
    : ` The model \`${tableCell(tookOver.from)}\` failed; ${tookOver.by.map((name) => `\`${tableCell(name)}\``).join(' and then ')} took over.`;

const graverFirst = (one: Listed, other: Listed): number =>
  Number(other.blocking === true) - Number(one.blocking === true) ||
  bySeverity(one.finding.claim.severity, other.finding.claim.severity);

const list = (notes: readonly Listed[]): string => notes.toSorted(graverFirst).map(described).join('\n');

type Listed = Pick<Accepted, 'id' | 'finding'> & { readonly blocking?: boolean };

const described = ({ id, finding: { claim, unplaced }, blocking = false }: Listed): string =>
  `- **${severityWord(claim.severity)}: ${claim.title}** in \`${tableCell(placeText(claim))}\` (${id}${blocking ? ', blocks' : ''}). ` +
  `${indent(claim.body)}${unplaced === null ? '' : ` (${unplaced})`}`;

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

/** Findings without an inline comment are described in full in the summary. */
const outsideNotes = (notes: readonly Accepted[]): string =>
  notes.length === 0 ? '' : `#### Additional notes (not in diff)\n\n${list(notes)}`;

const listedNotes = (notes: readonly Accepted[]): string =>
  notes.length === 0 ? '' : `#### More findings, without threads\n\n${list(notes)}`;

const unverifiedNotes = (unverified: readonly Unverified[]): string => {
  if (unverified.length === 0) return '';
  const ways = 'A later review confirms or refutes these claims, or somebody with write access dismisses them.';
  return (
    `#### Not verified\n\nThe code that these claims quote was not found, or no verifier confirmed them. No review passes while one of these claims is open. ${ways}\n\n` +
    list(unverified)
  );
};
