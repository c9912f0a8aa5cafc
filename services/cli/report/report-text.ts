import wrapAnsi from 'wrap-ansi';
import { receiptLines } from '../../../shared/vocabulary/receipts.ts';
import { escapeForTerminal, escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { severityWord } from '../../../shared/vocabulary/severity-words.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { type Paint, PLAIN, type PaintStyle } from '../terminal/paint.ts';
import { codeLines } from './report-code.ts';
import { HEADINGS, titleIn } from './report-parts.ts';

export type TextStyle = {
  readonly paint: Paint;
  /** Omits information about the review itself: who reviewed the lines, settings, cost. */
  readonly quiet: boolean;
  /** Width at which sentences are broken between words; null if they are not broken. */
  readonly columns: number | null;
};

const PLAIN_STYLE: TextStyle = { paint: PLAIN, quiet: false, columns: null };

/** A smaller reported width is ignored; lines longer than the larger number are hard to read. */
const [FEWEST_COLUMNS, MOST_COLUMNS] = [40, 100];

/** Breaks sentences between words. Code blocks stay as they are, because a terminal breaks them without changing what is copied. */
const wrap = (text: string, columns: number | null, indented = 0): string => {
  if (columns === null || columns < FEWEST_COLUMNS) return text;
  const width = Math.min(columns, MOST_COLUMNS) - indented;
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    const stays = isCode || isFence;
    if (isFence) isCode = !isCode;
    return stays ? line : wrapAnsi(line, width, { trim: false });
  });
  return lines.join('\n');
};

/** The review as text for a terminal. Text from the repository is escaped, so that it cannot control the terminal. */
export const reviewText = (output: ReviewOutput, style: TextStyle = PLAIN_STYLE): string => {
  const { quiet } = style;
  const about = quiet
    ? []
    : [...receiptsText(output), ...ignoredText(output), ...notesText(output), ...costText(output)];
  const parts = [
    ...output.findings.map((finding) => findingText(finding, style)),
    ...unverifiedText(output, style),
    ...refutedText(output),
    ...omittedText(output),
    ...about,
    ...changeRequestText(output),
    verdictText(output, style),
  ];
  return `${parts.join('\n\n')}\n`;
};

const VERDICT_STYLES: Readonly<Record<ReviewOutput['verdict'], PaintStyle>> = {
  lgtm: 'green',
  feedback: 'red',
  inconclusive: 'yellow',
};

/** The summary repeats the verdict before its reasons; here it is shown only once, at the beginning. */
const verdictText = ({ verdict, summary }: ReviewOutput, { paint, columns }: TextStyle): string => {
  const repeated = `Verdict ${verdict}`;
  const at = summary.lastIndexOf(repeated);
  const said = at === -1 ? summary : summary.slice(0, at) + capital(summary.slice(at + repeated.length));
  return wrap(`${paint(VERDICT_STYLES[verdict], verdict)}: ${escapeForTerminalLine(said).trimEnd()}`, columns);
};

/** Turns the reasons after the verdict into a separate sentence. */
const capital = (rest: string): string => {
  const reasons = rest.replace(/^(?::\s*|\.)/, '');
  return `${reasons.slice(0, 1).toUpperCase()}${reasons.slice(1)}`;
};

type Printed = ReviewOutput['unverified'][number] & { readonly id?: string; readonly blocking?: boolean };

const STYLES: Readonly<Record<Printed['severity'], PaintStyle>> = { P0: 'red', P1: 'red', P2: 'yellow', P3: 'cyan' };

const findingText = (finding: Printed, { paint, columns }: TextStyle): string => {
  const { id = '-', severity, path, line, startLine, side, body, suggestion } = finding;
  const lines = startLine === line ? `${line}` : `${startLine}-${line}`;
  const place = `${escapeForTerminalLine(path)}:${lines}${side === 'old' ? ' (old)' : ''}`;
  const code = codeLines(finding, paint);
  return [
    `${paint(STYLES[severity], `${id} ${severityWord(severity)}`)} ${paint('bold', place)}${remarksOn(finding)}`,
    `  ${paint('bold', titleIn(finding))}`,
    ...(code.length === 0 ? [] : ['', ...code, '']),
    ...indent(wrap(escapeForTerminal(body), columns, 2), '  '),
    ...(suggestion === null ? [] : ['', '  Suggestion:', ...indent(escapeForTerminal(suggestion), '    ')]),
  ].join('\n');
};

const remarksOn = ({ blocking, rule }: Printed): string => {
  const remarks = [
    ...(rule === null ? [] : [`rule ${escapeForTerminalLine(rule)}`]),
    ...(blocking === undefined ? [] : [blocking ? 'blocks' : 'does not block']),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
};

const indent = (text: string, by: string): readonly string[] => text.split('\n').map((line) => `${by}${line}`);

const unverifiedText = ({ unverified }: ReviewOutput, style: TextStyle): readonly string[] => {
  if (unverified.length === 0) return [];
  const texts = unverified.map((finding) => findingText(finding, style));
  return [`${HEADINGS.unverified}:`, ...texts];
};

const refutedText = ({ refuted = [] }: ReviewOutput): readonly string[] => {
  if (refuted.length === 0) return [];
  const lines = refuted.map(
    ({ path, line, title, evidence }) =>
      `  ${escapeForTerminalLine(`${path}:${line}: ${title}`)}; a verifier quoted: ${escapeForTerminalLine(evidence)}`,
  );
  return [[`${HEADINGS.refuted}:`, ...lines].join('\n')];
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
  const { modelCalls, inputTokens, cachedTokens, outputTokens, costUsd, subscription = false } = spent;
  const money = subscription && costUsd === 0 ? 'subscription' : `$${costUsd.toFixed(4)}`;
  const input = `${inputTokens} tokens in (${cachedTokens} cached)`;
  return [`${modelCalls} model calls, ${input}, ${outputTokens} out, ${money}`];
};
