/** The summary: one comment, edited in place, with the result of the last review. */
import type { ReviewDraft } from '../../model/draft.ts';
import { placeText, shortSha } from './finding-text.ts';
import { TOO_LIGHT } from '../../model/repository-rules.ts';
import { type CommitSha, findingNumber } from '../../../vocabulary/ids.ts';
import type { Accepted, GateResult } from '../../model/gate-result.ts';
import { mistakeHelp, mistakeIn } from './mistake-words.ts';
import { isGrave } from '../../model/blocking.ts';
import type { History, Thread } from '../../model/history.ts';
import type { Policy } from '../../model/policy.ts';
import { receiptLines } from '../../../vocabulary/receipts.ts';
import type { Run } from '../../model/run.ts';
import type { Cap } from '../../model/effect.ts';
import { validationText } from '../../model/validations.ts';
import { deferredList, type DeferredItem, renderSummary, TABLE_HEAD, threadTable } from './summary-comment.ts';
import type { OmittedFile } from '../../../vocabulary/coverage.ts';
import type { Judgement } from '../../gate/verdict.ts';
import { type ThreadRow, threadRow } from './thread-row.ts';
import { tableCell } from '../../../text/table-cell.ts';

export type RoundSummary = {
  readonly draft: ReviewDraft;
  readonly gated: GateResult;
  readonly judgement: Judgement;
  readonly rounds: number;
  readonly maxRounds: number;
  readonly author: string;
  readonly behind: boolean;
};

export const roundSummaryText = (summary: RoundSummary): string => {
  const { draft, gated, judgement } = summary;
  const behind = summary.behind ? ', which is not the newest head' : '';
  return renderSummary({
    verdict: judgement.verdict,
    head: draft.head,
    about: `${behind}, review ${draft.round}, round ${summary.rounds} of ${summary.maxRounds}: ${judgement.reasons.join('; ')}.`,
    lead: draft.summary,
    table: roundTable(gated, draft),
    rest: [
      validationText(draft.validations),
      outsideNotes(gated),
      unverifiedNotes(gated),
      omittedList(draft.coverage.omitted),
      receiptNotes(draft.coverage),
      repositoryNotes(draft),
      countLine(draft, gated),
    ],
    deferred: deferredList(deferredBy(gated), summary.author),
  });
};

const roundTable = (gated: GateResult, { moved }: ReviewDraft): string => {
  const places = new Map(moved.map(({ findingId, place }) => [findingId, place]));
  const at = (thread: Thread): ThreadRow => {
    const place = places.get(thread.id) ?? null;
    return place === null ? thread : { ...thread, today: place };
  };
  const own = gated.accepted.filter(({ ownThread }) => ownThread);
  const rows = [
    ...gated.handled.map(({ thread, next }) => ({ id: thread.id, text: threadRow(at(thread), next.state) })),
    ...[...gated.left.map(({ thread }) => thread), ...gated.standing].map((thread) => ({
      id: thread.id,
      text: threadRow(
        { ...at(thread), ...(gated.reopened.includes(thread.id) ? { again: true } : {}) },
        thread.state,
        gated.raisedAgain.includes(thread.id),
      ),
    })),
    ...own.map((accepted) => ({ id: accepted.id, text: newRow(accepted) })),
  ];
  if (rows.length === 0) return '';
  const ordered = rows.toSorted((one, other) => findingNumber(one.id) - findingNumber(other.id));
  return [...TABLE_HEAD, ...ordered.map(({ text }) => text)].join('\n');
};

const newRow = ({ id, finding }: Accepted): string =>
  `| ${id} ${tableCell(finding.claim.title)} | ${finding.claim.severity} | \`${tableCell(placeText(finding.claim))}\` | new |`;

/** Findings without an inline comment are listed here in full. */
const outsideNotes = (gated: GateResult): string => {
  const notes = gated.accepted.filter(({ ownThread }) => !ownThread);
  if (notes.length === 0) return '';
  const items = notes.map(
    ({ id, finding, blocking }) =>
      `- **${id} · ${finding.claim.severity}${blocking ? ' · blocks' : ''}** \`${tableCell(placeText(finding.claim))}\`: ` +
      `${finding.claim.title}. ${indent(finding.claim.body)}${finding.unplaced === null ? '' : ` (${finding.unplaced})`}`,
  );
  return `#### Additional notes (not in diff)\n\n${items.join('\n')}`;
};

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

const unverifiedNotes = (gated: GateResult): string => {
  if (gated.unverified.length === 0) return '';
  const items = gated.unverified.map(
    ({ id, finding: { claim } }) =>
      `- **${id} · ${claim.severity}** \`${tableCell(placeText(claim))}\`: ${claim.title}. ${indent(claim.body)}`,
  );
  const ways = 'A later review confirms or refutes them, or somebody with write access dismisses them.';
  return `#### Unverified\n\nThe quoted code could not be found. No review passes while one of these is open. ${ways}\n\n${items.join('\n')}`;
};

const deferredBy = (gated: GateResult): readonly DeferredItem[] => [
  ...gated.accepted.filter(({ blocking }) => !blocking).map(({ id, finding }) => ({ id, ...finding.claim })),
  ...gated.handled.filter(({ thread, next }) => next.state === 'open' && !thread.blocking).map(({ thread }) => thread),
  ...gated.left.map(({ thread }) => thread).filter(({ blocking, severity }) => !blocking && !isGrave(severity)),
  ...gated.standing.filter(({ id }) => gated.reopened.includes(id)),
];

const MAX_OMITTED_LINES = 30;

const omittedList = (omitted: readonly OmittedFile[]): string => {
  if (omitted.length === 0) return '';
  const shown = omitted.slice(0, MAX_OMITTED_LINES).map(({ path, reason }) => `- \`${tableCell(path)}\`: ${reason}`);
  const more = omitted.length > shown.length ? [`- and ${omitted.length - shown.length} more`] : [];
  return `#### Not reviewed\n\n${[...shown, ...more].join('\n')}`;
};

const receiptNotes = ({ receipts = [] }: ReviewDraft['coverage']): string => {
  const lines = receiptLines(receipts);
  return lines.length === 0
    ? ''
    : `#### Who looked at the lines\n\n${lines.map((line) => `- ${tableCell(line)}`).join('\n')}`;
};

const repositoryNotes = ({ repository }: ReviewDraft): string => {
  const notes = repository?.notes ?? [];
  return notes.length === 0 ? '' : `#### Settings and instructions\n\n${notes.map((note) => `- ${note}`).join('\n')}`;
};

const countLine = ({ coverage, spent }: ReviewDraft, { dropped }: GateResult): string => {
  const light = dropped.filter(({ reason }) => reason === TOO_LIGHT).length;
  const reasons = [...new Set(dropped.map(({ reason }) => reason))].filter((one) => one !== TOO_LIGHT).toSorted();
  const counts = reasons.map((reason) => `${dropped.filter((each) => each.reason === reason).length} ${reason}`);
  const notSaid = counts.length === 0 ? '' : ` Not said again: ${counts.join(', ')}.`;
  const notSaidAtAll = light === 0 ? '' : ` Not said: ${light} ${TOO_LIGHT}.`;
  const model = spent.modelCalls === 0 ? 'without a model' : `with ${spent.modelCalls} model calls`;
  return `${coverage.reviewed} of ${coverage.files} changed files reviewed ${model}.${notSaid}${notSaidAtAll}`;
};

export type AnnounceContext = { readonly history: History };

/** During a run the summary keeps the thread table of the last round. */
export const announceText = ({ head, round }: Pick<Run, 'head' | 'round'>, { history }: AnnounceContext): string => {
  const line = `### Review in progress\n\n${shortSha(head)} is being reviewed (review ${round}).`;
  if (history.threads.length === 0) return line;
  const last = history.verdict === null ? '' : `\n\nThe last verdict was \`${history.verdict}\`.`;
  return `${line}${last}\n\n${threadTable(history.threads)}`;
};

export const closedText = (head: CommitSha, how: 'merged' | 'closed', history: History): string => {
  const line =
    `### No verdict\n\nThe review of ${shortSha(head)} was not complete when the change request was ${how}. ` +
    'This is no statement about the code.';
  if (history.threads.length === 0) return line;
  return `${line}\n\n${threadTable(history.threads)}`;
};

export type GivenUp = { readonly head: CommitSha; readonly code: string; readonly attempts: number };

/** `text`: for the summary. `call`: for the hand-off. It repeats the reason only when people on the page have to act. */
export const giveUpText = (
  { head, code, attempts }: GivenUp,
  bot: string,
): { readonly text: string; readonly call: string } => {
  const sha = shortSha(head);
  const words = mistakeIn(code);
  const help = code === 'FORGE_PENDING_DRAFT' ? pendingDraftHelp(bot) : null;
  const more =
    help ?? (words === null ? '' : `Why: ${words}. ${mistakeHelp(code, bot)} Then \`@${bot} review\` tries again.`);
  const text = `### No verdict\n\n${sha} could not be reviewed: ${attempts} attempts failed (\`${code}\`). This is no statement about the code.`;
  const call = `${sha} could not be reviewed. The summary says why. This is no statement about the code.`;
  return { text: more === '' ? text : `${text}\n\n${more}`, call: help === null ? call : `${call}\n\n${help}` };
};

const pendingDraftHelp = (bot: string): string =>
  `The account of the bot has a pending review on this page that somebody wrote by hand. The forge would publish ` +
  `it together with the review of the bot. Sign in as that account, and delete or submit the pending review of ${bot} ` +
  `on this page; then \`@${bot} review\` tries again.`;

type LastWords = {
  readonly head: CommitSha;
  readonly block: string;
  readonly missing: number;
};

export const rawText = ({ head, block, missing }: LastWords): string =>
  `**This is not a review.** No review of ${shortSha(head)} could be read from what the model answered. ` +
  `Nobody has checked its last words; they stand here as they came, for whoever looks into the failure:\n\n${block}` +
  (missing === 0 ? '' : `\n\n(Cut here: ${missing} more characters.)`);

export const capText = (head: CommitSha, cap: Cap, { maxRuns, maxSilent }: Policy['rounds']): string => {
  const lead = `### No verdict\n\n${shortSha(head)} was not reviewed: `;
  switch (cap) {
    case 'runs':
      return `${lead}the limit of ${maxRuns} runs for one change request is used up. The verdict now belongs to a human.`;
    case 'silent':
      return `${lead}${maxSilent} reviews asked for nothing, which is the limit for one change request. The verdict now belongs to a human.`;
    case 'identity':
      return (
        `${lead}comments here carry this bot's signature but belong to another account. ` +
        'If that was the bot before, its id belongs into `previous_bot_user_ids` of the configuration.'
      );
    default:
      return cap satisfies never;
  }
};
