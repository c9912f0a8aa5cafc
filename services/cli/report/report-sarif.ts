/** SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
import type { ReviewedFinding, ReviewOutput } from '../review/review-output.ts';
import { fingerprintsOf, printedMessage, type Printable, ruleOf } from './report-parts.ts';

export const sarifOf = (output: ReviewOutput) => {
  const findings = [...output.findings, ...output.unverified];
  const rules = [...new Set(findings.map(ruleOf))];
  const prints = fingerprintsOf(findings);
  const ofIndex = (finding: Printable, index: number) => ({
    ...resultOf(finding, rules),
    partialFingerprints: { 'fixpoint/v1': prints[index] ?? '' },
  });
  const confirmed = output.findings.length;
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0' as const,
    runs: [
      {
        tool: { driver: { name: 'Fixpoint', version: output.version, rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits' as const,
        // If there is no verdict, an empty result does not mean that the code has no problems.
        invocations: [{ executionSuccessful: output.verdict !== 'inconclusive' }],
        results: [
          ...output.findings.map((finding, index) => ({
            ...ofIndex(finding, index),
            kind: 'fail' as const,
            level: levelOf(finding),
            properties: { id: finding.id, severity: finding.severity, blocking: finding.blocking },
          })),
          ...output.unverified.map((finding, index) => ({
            ...ofIndex(finding, confirmed + index),
            kind: 'review' as const,
            // Only results of the kind "fail" have a level (3.27.10).
            level: 'none' as const,
            properties: { severity: finding.severity },
          })),
        ],
        properties: { verdict: output.verdict },
      },
    ],
  };
};

const levelOf = ({ severity, blocking }: ReviewedFinding) => {
  if (blocking) return 'error' as const;
  return severity === 'P3' ? ('note' as const) : ('warning' as const);
};

const resultOf = (finding: Printable, rules: readonly string[]) => ({
  ruleId: ruleOf(finding),
  ruleIndex: rules.indexOf(ruleOf(finding)),
  message: { text: printedMessage(finding) },
  locations: [{ physicalLocation: { artifactLocation: artifactOf(finding), ...regionOf(finding) } }],
});

/** Returns a URI reference, in which every part of the path is percent-encoded. */
const artifactOf = ({ path }: Printable) => ({
  uri: path.split('/').map(encodeURIComponent).join('/'),
  uriBaseId: '%SRCROOT%',
});

/** No region for the old version: its lines are in no file that a reader of the report has. */
const regionOf = ({ side, startLine, line }: Printable) =>
  side === 'old' ? {} : { region: { startLine, endLine: line } };
