/** The content of a `review_request` to an external reviewer: the change at one head, and the discussion so far. */
import { z } from 'zod';
import { CommitSha, FindingId, RunId } from '../vocabulary/ids.ts';
import { Action, Severity } from '../vocabulary/finding.ts';
import { flag, list, looseText, matching, positive, text, UtcSecond } from './fields.ts';

const LONG_TEXT = 50_000;
const MAX_DIFF = 16_777_216;
const MAX_ENTRIES = 2000;

const path = looseText(4096);

/** An open thread. The reviewer's answer reports on it under the same id. */
export const OpenFinding = z.strictObject({
  id: FindingId,
  severity: Severity,
  blocking: flag,
  title: looseText(1000),
  /** The place at this head: if the lines no longer exist, `file` is empty and `line` is null. */
  file: path,
  line: positive.nullable(),
  cited_code: looseText(LONG_TEXT),
  /** If `reply` is not among them, a thread that is not fixed is handed to a person. */
  legal_actions: list(Action, 4),
  replies: list(z.strictObject({ author: looseText(255), text: looseText(LONG_TEXT) }), MAX_ENTRIES),
});
export type OpenFinding = z.output<typeof OpenFinding>;

export const ReviewPacket = z.strictObject({
  packet_id: matching(/^\d{8}_[A-Za-z0-9._-]{1,160}_r\d{1,3}$/, 'an id such as 20300131_topic_owner_r1'),
  created_at_utc: UtcSecond,
  run: RunId,
  round: positive,
  max_rounds: positive,
  final_round: flag,
  /** True if the head is already reviewed and only the open findings need an answer. */
  only_open_findings: flag,
  head_sha: CommitSha,
  /** The merge base; null if the histories are unrelated. */
  base_sha: CommitSha.nullable(),
  branch: text(255),
  target_branch: looseText(1024),
  title: looseText(LONG_TEXT),
  description: looseText(LONG_TEXT),
  author: looseText(255),
  /** Instructions of an authorised user; null if there are none. */
  instructions: looseText(LONG_TEXT).nullable(),
  guidelines: list(z.strictObject({ path, text: looseText(LONG_TEXT) }), MAX_ENTRIES),
  open_findings: list(OpenFinding, MAX_ENTRIES),
  /** Findings that must not be reported again. One that waits for a person may be reported `fixed`, with changed lines as evidence. */
  closed_findings: list(
    z.strictObject({
      id: FindingId,
      severity: Severity,
      title: looseText(1000),
      file: path,
      with_human: flag.optional(),
    }),
    MAX_ENTRIES,
  ),
  discussion: list(z.strictObject({ author: looseText(255), text: looseText(LONG_TEXT), file: path }), MAX_ENTRIES),
  omitted: list(z.strictObject({ path, reason: looseText(1000) }), 20_000),
  changed_files: list(path, 20_000),
  /** The diff. Each line has its number after + (new side) or - (old side). From round 2 on, only changes since the last round. */
  diff: looseText(MAX_DIFF),
});
export type ReviewPacket = z.output<typeof ReviewPacket>;

export const reviewPacketPath = (id: string): string => `packets/reviews/${id}.yaml`;
