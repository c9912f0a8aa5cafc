import type { PacketFinding } from '../../../shared/protocol/findings-packet.ts';
import type { Clean } from '../../../shared/protocol/round/round-findings.ts';
import { areaOf, fileOf } from '../../../shared/protocol/round/round-findings.ts';
import type { ReviewOutput } from '../review/review-output.ts';

const MAX_TEXT = 8000;

/** No review precedes a local review, so all of its findings are open. */
export const findingsOfOutput = ({ findings }: ReviewOutput, clean: Clean): readonly PacketFinding[] => {
  const cut = (text: string): string => clean(text).slice(0, MAX_TEXT);
  return findings.map((finding) => ({
    id: finding.id,
    severity: finding.severity,
    blocking: finding.blocking,
    status: 'open',
    area: areaOf(finding.path, null),
    file: fileOf(finding.path),
    line: finding.line,
    repro: cut(`${finding.title}\n\n${finding.body}`),
    expected: '',
    evidence: cut(finding.evidence),
    recommendation: cut(finding.suggestion ?? ''),
  }));
};
