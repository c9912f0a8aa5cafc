/** Writes the collapsed sections of the summary. A section is null if it has no content. */
import { counted } from './counted.ts';
import { findingsTable } from './findings-table.ts';
import { isOpenItem, type Item } from './item.ts';
import type { Fold } from '../../model/posting/post-plan.ts';
import type { ReviewDraft } from '../../model/draft.ts';
import type { GateResult } from '../../model/gate-result.ts';
import { receiptLines } from '../../../vocabulary/receipts.ts';
import { inlineCode } from '../../../text/code-fence.ts';
import { cutPoint } from '../../../text/cut.ts';
import { tableCell } from '../../../text/table-cell.ts';
import { IGNORED, TOO_LIGHT } from '../../model/repository-rules.ts';

const fold = (title: string, lines: readonly string[]): Fold | null =>
  lines.length === 0 ? null : { title, text: lines.join('\n') };

export const presentFolds = (folds: readonly (Fold | null)[]): readonly Fold[] => folds.filter((each) => each !== null);

const RESOLVED = 'Resolved';

/** Every later version replaces this section. */
export const resolvedFold = (items: readonly Item[]): Fold | null => {
  const closed = items.filter((item) => !isOpenItem(item));
  return closed.length === 0 ? null : { title: `${RESOLVED} (${closed.length})`, text: findingsTable(closed) };
};

export const isResolvedFold = ({ title }: Fold): boolean => title.startsWith(`${RESOLVED} (`);

const MAX_OMITTED_LINES = 30;

export const omittedFold = ({ coverage: { omitted } }: Pick<ReviewDraft, 'coverage'>): Fold | null => {
  const shown = omitted.slice(0, MAX_OMITTED_LINES).map(({ path, reason }) => `- \`${tableCell(path)}\`: ${reason}`);
  const more = omitted.length > shown.length ? [`- and ${omitted.length - shown.length} more`] : [];
  return fold(`Not reviewed (${omitted.length})`, [...shown, ...more]);
};

export const reviewedFold = (
  draft: Pick<ReviewDraft, 'coverage' | 'spent'>,
  { dropped }: GateResult,
  settingsUrl: string | null,
): Fold | null => {
  const { coverage, spent } = draft;
  const who = receiptLines(coverage.receipts ?? []).map((line) => `- ${tableCell(line)}`);
  const model = spent.modelCalls === 0 ? 'without a model' : `with ${counted(spent.modelCalls, 'model call')}`;
  return fold('Who reviewed what', [
    `${coverage.reviewed} of ${coverage.files} changed files reviewed ${model}.${notSaid(dropped)}`,
    ...otherFilesLines(coverage),
    ...ignoredLines(dropped, settingsUrl),
    ...(who.length === 0 ? [] : ['', ...who]),
  ]);
};

const notSaid = (dropped: GateResult['dropped']): string => {
  const light = dropped.filter(({ reason }) => reason === TOO_LIGHT).length;
  const reasons = [...new Set(dropped.map(({ reason }) => reason))]
    .filter((one) => one !== TOO_LIGHT && one !== IGNORED)
    .toSorted();
  const counts = reasons.map((reason) => `${dropped.filter((each) => each.reason === reason).length} ${reason}`);
  const again = counts.length === 0 ? '' : ` Not reported again: ${counts.join(', ')}.`;
  return again + (light === 0 ? '' : ` Not reported: ${light} ${TOO_LIGHT}.`);
};

/**
 * Such files do not make the review incomplete. They are listed, because readers may wonder why the reviewer named
 * them.
 */
const otherFilesLines = ({ notOfChange = [] }: ReviewDraft['coverage']): readonly string[] => {
  const names = notOfChange.map((path) => `\`${tableCell(path)}\``).join(', ');
  return names === '' ? [] : ['', `The reviewer also named files outside of the change as not reviewed: ${names}.`];
};

const ignoredLines = (dropped: GateResult['dropped'], settingsUrl: string | null): readonly string[] => {
  const count = dropped.filter(({ reason }) => reason === IGNORED).length;
  const by = settingsUrl === null ? '`.fixpoint.toml`' : `[.fixpoint.toml](${settingsUrl})`;
  return count === 0 ? [] : ['', `${counted(count, 'finding')} not shown: ignored by ${by}.`];
};

/** Shows the findings that were not posted and the code that refutes them, so that a reader can disagree. */
export const refutedFold = ({ refutedClaims = [] }: Pick<ReviewDraft, 'refutedClaims'>): Fold | null =>
  fold(
    `Refuted before posting (${refutedClaims.length})`,
    refutedClaims.map(
      ({ path, line, title, evidence }) =>
        `- \`${tableCell(`${path}:${line}`)}\`: ${tableCell(title)}. A verifier quoted: ${inlineCode(shortened(evidence))}`,
    ),
  );

const MAX_QUOTE = 200;

const shortened = (text: string): string =>
  text.length <= MAX_QUOTE ? text : `${text.slice(0, cutPoint(text, MAX_QUOTE))} …`;

export const settingsFold = ({ repository }: Pick<ReviewDraft, 'repository'>): Fold | null =>
  fold(
    'Settings and instructions',
    [...new Set(repository?.notes ?? [])].map((note) => `- ${note}`),
  );

/** `lead`: the reviewer's text about the change as a whole. */
export const walkthroughFold = ({ walkthrough = [] }: Pick<ReviewDraft, 'walkthrough'>, lead: string): Fold | null => {
  const lines = walkthrough.map(({ path, text }) => `| \`${tableCell(path)}\` | ${tableCell(text)} |`);
  if (lines.length === 0) return null;
  const table = ['| File | What changes |', '| --- | --- |', ...lines].join('\n');
  return { title: `Walkthrough (${counted(lines.length, 'file')})`, text: lead === '' ? table : `${lead}\n\n${table}` };
};
