import type { FixFinding } from '../../rounds/model/fix-brief.ts';
import { cutWithNotice } from '../../text/cut.ts';
import { countFindings, FindingsPacket, type PacketFinding, packetId } from '../findings-packet.ts';
import { ReviewFeedback } from '../message.ts';
import { areaOf, fileOf } from './round-findings.ts';
import { type Correspondence, envelopeOf } from './round-messages.ts';

export type FixOrder = {
  readonly round: number;
  /** Full id of the worktree's commit; the packet names it in `source_review_packet`. */
  readonly head: string;
  readonly findings: readonly FixFinding[];
  readonly packetPath: string;
  /** The deadline in the form `YYYY-MM-DDTHH:MM:SSZ`; an answer after it is ignored. */
  readonly expiresAtUtc: string;
};

/** The protocol's limit for one field; a longer value is cut, with a notice. */
const MAX_TEXT = 8_000;

const entryOf = ({ id, severity, title, text, rule, place }: FixFinding): PacketFinding => ({
  id,
  severity,
  blocking: severity !== 'P3',
  status: 'open',
  area: areaOf(place.path, rule),
  file: fileOf(place.path),
  line: place.line,
  repro: cutWithNotice(text === '' ? title : `${title}\n\n${text}`, MAX_TEXT, (piece) => piece),
  expected: '',
  evidence: '',
  recommendation: '',
});

export const feedbackForFix = (
  { round, head, findings, packetPath, expiresAtUtc }: FixOrder,
  words: Correspondence,
): { readonly message: ReviewFeedback; readonly packet: FindingsPacket } => {
  const entries = findings.map(entryOf);
  const counts = countFindings(entries);
  const packet = FindingsPacket.parse({
    packet_id: packetId({
      dayUtc: words.createdAtUtc.slice(0, 10).replaceAll('-', ''),
      topic: `${words.pr}-${words.topic}`,
      owner: words.from,
      round,
    }),
    source_review_packet: head,
    reviewer: words.from,
    round,
    created_at_utc: words.createdAtUtc,
    summary: { verdict: 'feedback', ...counts },
    findings: entries,
  });
  const message = ReviewFeedback.parse({
    ...envelopeOf(words, 'review_feedback', `Review feedback: round ${round} (#${words.pr})`),
    expires_at: expiresAtUtc,
    body: { findings_packet: packetPath, round, blocking_count: counts.blocking_count },
  });
  return { message, packet };
};
