/** A request to a reviewer outside about one head, with two open findings, and answers to it. */
import { PendingReview, type PendingAnswerText } from '../../../shared/protocol/pending-review.ts';
import type { ReviewPacket } from '../../../shared/protocol/review-packet.ts';
import { runId, sha } from '../rounds/builders.ts';
import { feedback as say, type Feedback, finding, lgtm as pass, type Request } from '../../support/outside.ts';
import { example } from './examples.ts';

export const HEAD = sha('head');
export const ASKED_MS = 1_000;
export const EXPIRES_MS = 601_000;

const PACKET: ReviewPacket = {
  packet_id: '20300105_41-code_fixpoint_r2',
  created_at_utc: '2030-01-05T09:00:00Z',
  run: runId('run'),
  round: 2,
  max_rounds: 3,
  final_round: false,
  only_open_findings: false,
  head_sha: HEAD,
  base_sha: sha('base'),
  branch: 'change',
  target_branch: 'main',
  title: 'Change',
  description: '',
  author: 'author',
  instructions: null,
  guidelines: [],
  open_findings: [
    {
      id: 'F-001',
      severity: 'P1',
      blocking: true,
      title: 'It leaks',
      file: 'a.js',
      line: 3,
      cited_code: 'open()',
      legal_actions: ['resolve', 'veto', 'escalate', 'reply'],
      replies: [],
    },
    {
      id: 'F-002',
      severity: 'P3',
      blocking: false,
      title: 'A typo',
      file: 'a.js',
      line: 9,
      cited_code: 'teh',
      legal_actions: ['resolve', 'veto', 'escalate'],
      replies: [],
    },
  ],
  closed_findings: [{ id: 'F-003', severity: 'P2', title: 'Slow', file: 'b.js' }],
  discussion: [],
  omitted: [],
  changed_files: ['a.js', 'b.js'],
  diff: '',
};

export const asked = (patch: Partial<PendingReview> = {}, packet: Partial<ReviewPacket> = {}): PendingReview =>
  PendingReview.parse({
    v: 1,
    reviewer: 'rex',
    request: { ...example('review_request'), id: 'msg-asked', from: 'fixpoint', to: 'rex' },
    packet: { ...PACKET, ...packet },
    askedAtMs: ASKED_MS,
    expiresAtMs: EXPIRES_MS,
    answer: null,
    ended: false,
    mustName: false,
    ...patch,
  });

const REQUEST: Request = { id: 'msg-asked', review: PACKET, pr: '41' };

const BOTH = [finding({ id: 'F-001', status: 'not_fixed' }), finding({ id: 'F-002', severity: 'P3', blocking: false })];

export const feedback = (wish: Partial<Feedback> = {}): PendingAnswerText => {
  const [message, packet] = say({ from: 'rex', to: REQUEST, findings: BOTH, ...wish });
  return { message, packet };
};

export const lgtm = (body: object = {}, parent: string | null = 'msg-asked') => ({
  message: pass('rex', REQUEST, body, parent),
  packet: null,
});
