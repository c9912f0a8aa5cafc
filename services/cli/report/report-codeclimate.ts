/** GitLab's Code Quality: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
import type { Severity } from '../../../shared/vocabulary/finding.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { fingerprintsOf, printedMessage, ruleOf } from './report-parts.ts';

const SEVERITIES: Readonly<Record<Severity, 'blocker' | 'critical' | 'major' | 'minor'>> = {
  P0: 'blocker',
  P1: 'critical',
  P2: 'major',
  P3: 'minor',
};

/** The format requires a line. If it is a line of the old version, the message says so. */
export const codeclimateOf = ({ findings }: ReviewOutput) => {
  const prints = fingerprintsOf(findings);
  return findings.map((finding, index) => ({
    description: printedMessage(finding),
    check_name: ruleOf(finding),
    fingerprint: prints[index] ?? '',
    severity: SEVERITIES[finding.severity],
    location: { path: finding.path, lines: { begin: finding.startLine, end: finding.line } },
  }));
};
