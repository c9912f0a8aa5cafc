import { escapeForTerminal, escapeForTerminalLine } from '../../shared/text/visible.ts';
import type { ReviewOutput } from './review-output.ts';

/** The review for a person at a terminal. Everything from the repository is escaped: it must not drive the terminal. */
export const reviewText = (output: ReviewOutput): string => {
  const parts = [
    ...output.findings.map(findingText),
    ...omittedText(output),
    `${output.verdict}: ${escapeForTerminalLine(output.summary)}`,
  ];
  return `${parts.join('\n\n')}\n`;
};

const findingText = (finding: ReviewOutput['findings'][number]): string => {
  const { id, severity, path, line, startLine, side, title, body, suggestion } = finding;
  const lines = startLine === line ? `${line}` : `${startLine}-${line}`;
  const place = `${escapeForTerminalLine(path)}:${lines}${side === 'old' ? ' (old)' : ''}`;
  const fix = suggestion === null ? [] : ['', '  Suggestion:', ...indent(suggestion, '    ')];
  return [`${id} ${severity} ${place}`, `  ${escapeForTerminalLine(title)}`, ...indent(body, '  '), ...fix].join('\n');
};

const indent = (text: string, by: string): readonly string[] =>
  escapeForTerminal(text)
    .split('\n')
    .map((line) => `${by}${line}`);

const omittedText = ({ coverage }: ReviewOutput): readonly string[] => {
  if (coverage.omitted.length === 0) return [];
  const lines = coverage.omitted.map(
    ({ path, reason }) => `  ${escapeForTerminalLine(path)}: ${escapeForTerminalLine(reason)}`,
  );
  return [['Not reviewed:', ...lines].join('\n')];
};
