/** Reviewdog's format: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf */
import type { Severity } from '../../../shared/vocabulary/finding.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { printedMessage, type Printable, ruleOf } from './report-parts.ts';

const SEVERITIES: Readonly<Record<Severity, 'ERROR' | 'WARNING' | 'INFO'>> = {
  P0: 'ERROR',
  P1: 'ERROR',
  P2: 'WARNING',
  P3: 'INFO',
};

export const rdjsonOf = ({ findings }: ReviewOutput) => ({
  source: { name: 'fixpoint' },
  diagnostics: findings.map((finding) => ({
    message: printedMessage(finding),
    location: { path: finding.path, ...rangeOf(finding) },
    severity: SEVERITIES[finding.severity],
    code: { value: ruleOf(finding) },
    ...suggestionsOf(finding),
  })),
});

/** A range without columns contains whole lines, including the last line. */
const rangeOf = ({ side, startLine, line }: Printable) =>
  side === 'old' ? {} : { range: { start: { line: startLine }, end: { line } } };

const suggestionsOf = (finding: Printable) => {
  const { suggestion } = finding;
  const { range } = rangeOf(finding);
  return suggestion === null || range === undefined ? {} : { suggestions: [{ range, text: suggestion }] };
};
