/** Functions that all formats use. Text of models and repositories is data: hidden characters are shown. */
import { createHash } from 'node:crypto';
import { escapeForTerminal, escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { ReviewedFinding, ReviewOutput } from '../review/review-output.ts';

/** The rule name for findings that a model made. */
const MODEL_RULE = 'review';

/** Headings above findings that are only listed. */
export const HEADINGS = {
  unverified: 'Unverified: the quoted code is not in the file, or no verifier confirmed it',
  refuted: 'Refuted, so not reported',
} as const;

export const ruleOf = ({ rule }: Pick<ReviewedFinding, 'rule'>): string => escapeForTerminalLine(rule ?? MODEL_RULE);

export const titleIn = ({ title }: Pick<ReviewedFinding, 'title'>): string => escapeForTerminalLine(title);

/** Title and body. A line of the old version is described in words, because no file of the head contains it. */
export const printedMessage = (finding: Printable): string => {
  const place = finding.side === 'old' ? `${wasAt(finding)}\n\n` : '';
  return `${titleIn(finding)}\n\n${place}${escapeForTerminal(finding.body)}`;
};

export type Printable = ReviewOutput['unverified'][number];

const wasAt = ({ startLine, line }: Printable): string =>
  startLine === line
    ? `About line ${line} of the old version.`
    : `About lines ${startLine} to ${line} of the old version.`;

/** One fingerprint per finding, equal in every run on equal code, because it ignores the finding's number and line. */
export const fingerprintsOf = (findings: readonly Printable[]): readonly string[] => {
  const seen = new Map<string, number>();
  return findings.map(({ path, side, rule, title, evidence }) => {
    const said = JSON.stringify([path, side, rule, rule === null ? title : '', evidence]);
    const count = seen.get(said) ?? 0;
    seen.set(said, count + 1);
    return createHash('sha256').update(`${said} ${count}`).digest('hex').slice(0, 32);
  });
};
