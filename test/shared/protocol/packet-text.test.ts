import { describe, expect, it } from 'vitest';
import { parseFindingsPacket, parseReviewPacket } from '../../../shared/protocol/packet-text.ts';

const packetWith = (fields: string): string => `packet_id: 20300105_retry_rex_r1
source_review_packet: 0123456
reviewer: 42
round: 1
created_at_utc: 2030-01-05T09:30:00Z
summary:
  verdict: feedback
  blocking_count: 1
  non_blocking_count: 0
findings:
  - id: F-001
    severity: P1
    blocking: true
    status: open
    area: code
    file: ''
    line: 3
${fields}`;

describe('a findings packet that a program wrote without quotation marks', () => {
  it('keeps as text what looks like a number, a flag or nothing', () => {
    const reading = parseFindingsPacket(
      packetWith('    repro: 1e3\n    expected: false\n    evidence: 007\n    recommendation:\n'),
    );
    expect(reading).toMatchObject({
      kind: 'packet',
      packet: {
        source_review_packet: '0123456',
        reviewer: '42',
        round: 1,
        findings: [{ blocking: true, line: 3, repro: '1e3', expected: 'false', evidence: '007', recommendation: '' }],
      },
    });
  });

  it('is still refused where a field is missing or is not text', () => {
    const reading = parseFindingsPacket(packetWith('    repro: [1]\n    expected: x\n    evidence: x\n'));
    const problems = reading.kind === 'refused' ? reading.problems.map(({ field }) => field) : [];
    expect(problems).toEqual(['findings[0].repro', 'findings[0].recommendation']);
  });
});

it('ids of commits in a review packet stay text, and an absent base stays absent', () => {
  const reading = parseReviewPacket('head_sha: 0123456789012345678901234567890123456789\nbase_sha: null\n');
  const problems = reading.kind === 'refused' ? reading.problems.map(({ field }) => field) : [];
  expect(problems).not.toContain('head_sha');
  expect(problems).not.toContain('base_sha');
});
