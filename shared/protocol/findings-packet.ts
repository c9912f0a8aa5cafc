/** The findings of one reviewer in one round: the document to which `review_feedback` refers. */
import { z } from 'zod';
import { count, flag, list, looseText, matching, oneOf, positive, text, UtcSecond, WorkspacePath } from './fields.ts';

const LONG_TEXT = 8000;
const MAX_FINDINGS = 500;

export const Area = oneOf(['code', 'test', 'docs', 'config', 'infra', 'security', 'performance', 'other']);
export type Area = z.output<typeof Area>;

/**
 * - `open`: the finding is new in this round.
 * - `fixed`: the reviewer confirms the fix.
 * - `not_fixed`: the finding is unchanged.
 * - `wont_fix`: the author declined it, and the reviewer agrees.
 * - `needs_clarification`: a person must decide.
 */
export const FindingStatus = oneOf(['open', 'fixed', 'wont_fix', 'not_fixed', 'needs_clarification']);
export type FindingStatus = z.output<typeof FindingStatus>;

const Attachment = z.strictObject({
  type: text(64),
  tool: looseText(200).optional(),
  path: WorkspacePath,
  summary: looseText(1000).optional(),
});

export const PacketFinding = z
  .strictObject({
    id: matching(/^[A-Z]{1,8}-\d{1,6}$/, 'an id such as F-001'),
    severity: oneOf(['P0', 'P1', 'P2', 'P3']),
    blocking: flag,
    status: FindingStatus,
    area: Area,
    /** Empty if the finding is not about a single file. */
    file: z.union([z.literal(''), WorkspacePath], 'expected a path in the workspace, or nothing'),
    line: positive.nullable(),
    repro: looseText(LONG_TEXT),
    expected: looseText(LONG_TEXT),
    evidence: looseText(LONG_TEXT),
    recommendation: looseText(LONG_TEXT),
    evidence_attachments: list(Attachment, 50).optional(),
  })
  .refine(({ severity, blocking }) => severity !== 'P3' || !blocking, {
    path: ['blocking'],
    message: 'expected false: a P3 never blocks',
  });
export type PacketFinding = z.output<typeof PacketFinding>;

const QaValidation = z.strictObject({
  commands_run: list(
    z.strictObject({
      command: text(2000),
      result: oneOf(['pass', 'fail', 'warn']),
      notes: looseText(LONG_TEXT).optional(),
      mcp_tool: text(200).optional(),
      attachments: list(Attachment, 50).optional(),
    }),
    100,
  ),
  deployment_check: z
    .strictObject({ ready: flag, rollback_verified: flag, notes: looseText(LONG_TEXT).optional() })
    .optional(),
});

export const FindingsPacket = z
  .strictObject({
    packet_id: matching(/^\d{8}_[A-Za-z0-9._-]{1,160}_r\d{1,3}$/, 'an id such as 20300131_topic_owner_r1'),
    /** The packet or message in which the review was requested. */
    source_review_packet: looseText(1024),
    reviewer: text(64),
    round: positive,
    created_at_utc: UtcSecond,
    summary: z.strictObject({ verdict: text(64), blocking_count: count, non_blocking_count: count }),
    findings: list(PacketFinding, MAX_FINDINGS),
    qa_validation: QaValidation.optional(),
  })
  .superRefine(({ findings, summary }, context) => {
    const counted = countFindings(findings);
    for (const name of ['blocking_count', 'non_blocking_count'] as const) {
      if (summary[name] === counted[name]) continue;
      const message = `does not match the findings; expected ${counted[name]}`;
      context.addIssue({ code: 'custom', path: ['summary', name], message });
    }
    if (new Set(findings.map(({ id }) => id)).size < findings.length) {
      context.addIssue({ code: 'custom', path: ['findings'], message: 'contains a duplicate id' });
    }
  });
export type FindingsPacket = z.output<typeof FindingsPacket>;

/** False for findings that are fixed, and for findings that the author declined with the reviewer's agreement. */
export const isStanding = ({ status }: Pick<PacketFinding, 'status'>): boolean =>
  status !== 'fixed' && status !== 'wont_fix';

export const countFindings = (
  findings: readonly Pick<PacketFinding, 'status' | 'blocking'>[],
): { readonly blocking_count: number; readonly non_blocking_count: number } => {
  const standing = findings.filter(isStanding);
  const blocking = standing.filter((finding) => finding.blocking).length;
  return { blocking_count: blocking, non_blocking_count: standing.length - blocking };
};

export type PacketName = {
  readonly dayUtc: string;
  readonly topic: string;
  readonly owner: string;
  readonly round: number;
};

const word = (text: string, maxLength: number): string =>
  text.replaceAll(/[^A-Za-z0-9.-]+/g, '-').slice(0, maxLength) || 'x';

export const packetId = ({ dayUtc, topic, owner, round }: PacketName): string =>
  `${dayUtc}_${word(topic, 80)}_${word(owner, 64)}_r${round}`;

export const packetPath = (id: string): string => `packets/findings/${id}.yaml`;
