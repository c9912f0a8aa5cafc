import { receiptLines } from '../../../shared/vocabulary/receipts.ts';
import { escapeForTerminal, escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { ReviewOutput } from '../review/review-output.ts';

/** The review as text for a terminal. Text from the repository is escaped, so that it cannot control the terminal. */
export const reviewText = (output: ReviewOutput): string => {
  const parts = [
    ...output.findings.map(findingText),
    ...unverifiedText(output),
    ...omittedText(output),
    ...receiptsText(output),
    ...ignoredText(output),
    ...notesText(output),
    ...costText(output),
    ...changeRequestText(output),
    `${output.verdict}: ${escapeForTerminalLine(output.summary)}`,
  ];
  return `${parts.join('\n\n')}\n`;
};

type Printed = ReviewOutput['unverified'][number] & { readonly id?: string };

const findingText = (finding: Printed): string => {
  const { id = '-', severity, path, line, startLine, side, title, body, suggestion } = finding;
  const lines = startLine === line ? `${line}` : `${startLine}-${line}`;
  const place = `${escapeForTerminalLine(path)}:${lines}${side === 'old' ? ' (old)' : ''}`;
  const fix = suggestion === null ? [] : ['', '  Suggestion:', ...indent(suggestion, '    ')];
  return [`${id} ${severity} ${place}`, `  ${escapeForTerminalLine(title)}`, ...indent(body, '  '), ...fix].join('\n');
};

const indent = (text: string, by: string): readonly string[] =>
  escapeForTerminal(text)
    .split('\n')
    .map((line) => `${by}${line}`);

const unverifiedText = ({ unverified }: ReviewOutput): readonly string[] => {
  if (unverified.length === 0) return [];
  return ['Unverified: the quoted code is not in the file:', ...unverified.map(findingText)];
};

/** The number is limited, because an audit can leave out thousands of files. `--format json` lists all of them. */
const MAX_OMITTED = 100;

const omittedText = ({ coverage: { omitted } }: ReviewOutput): readonly string[] => {
  if (omitted.length === 0) return [];
  const lines = omitted
    .slice(0, MAX_OMITTED)
    .map(({ path, reason }) => `  ${escapeForTerminalLine(path)}: ${escapeForTerminalLine(reason)}`);
  const more = omitted.length - MAX_OMITTED;
  return [['Not reviewed:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')];
};

const receiptsText = ({ coverage: { receipts = [] } }: ReviewOutput): readonly string[] => {
  const lines = receiptLines(receipts).map((line) => `  ${escapeForTerminalLine(line)}`);
  return lines.length === 0 ? [] : [['Lines by reviewer:', ...lines].join('\n')];
};

const ignoredText = ({ ignored }: ReviewOutput): readonly string[] =>
  ignored === 0
    ? []
    : [`${ignored} ${ignored === 1 ? 'finding' : 'findings'} not shown: ignored by .fixpoint.toml of the base`];

const notesText = ({ notes }: ReviewOutput): readonly string[] =>
  notes.length === 0
    ? []
    : [['Settings and instructions:', ...notes.map((note) => `  ${escapeForTerminalLine(note)}`)].join('\n')];

const changeRequestText = ({ changeRequest }: ReviewOutput): readonly string[] => {
  if (changeRequest === undefined) return [];
  const { title, url, review, isNew, isPosted } = changeRequest;
  const number = review === null ? 'no review' : `review ${review}`;
  const where = isPosted ? `${isNew ? 'posted' : 'posted before'}, see ${url}` : `not posted; ${url}`;
  return [escapeForTerminalLine(`${title}: ${number}, ${where}`)];
};

const costText = ({ spent }: ReviewOutput): readonly string[] => {
  if (spent.modelCalls === 0) return [];
  const { modelCalls, inputTokens, cachedTokens, outputTokens, costUsd } = spent;
  const input = `${inputTokens} tokens in (${cachedTokens} cached)`;
  return [`${modelCalls} model calls, ${input}, ${outputTokens} out, $${costUsd.toFixed(4)}`];
};
