import { expect, it } from 'vitest';
import { type FixOrder, feedbackForFix } from '../../../../shared/protocol/round/fix-feedback.ts';
import { FixFinding } from '../../../../shared/rounds/model/fix-brief.ts';

const reproOf = (text: string): string | undefined => {
  const finding = FixFinding.parse({
    id: 'F-001',
    fingerprint: 'f',
    severity: 'P1',
    title: 'Close the file',
    text,
    rule: null,
    place: { path: 'a.ts', side: 'new', startLine: 3, line: 3 },
  });
  const order: FixOrder = {
    round: 1,
    head: 'a'.repeat(40),
    findings: [finding],
    packetPath: 'packets/one.yaml',
    expiresAtUtc: '2030-01-31T13:00:00Z',
  };
  const createdAtUtc = '2030-01-31T12:00:00Z';
  const words = { from: 'fixpoint', to: 'author', pr: 7, topic: 'fix', createdAtUtc, key: 'run' };
  return feedbackForFix(order, words).packet.findings[0]?.repro;
};

it('hands on what a finding says as it stands', () => {
  expect(reproOf('It leaks.')).toBe('Close the file\n\nIt leaks.');
});

it('says so where a finding is longer than a field of the protocol, and keeps within it', () => {
  const repro = reproOf('x'.repeat(9_000)) ?? '';
  expect(repro).toMatch(/^Close the file\n\nx{7000,}\n\n_\(Cut here: the text was longer than 8000 characters\.\)_$/);
  expect(repro.length).toBeLessThanOrEqual(8_000);
});
