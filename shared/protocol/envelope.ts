import { z } from 'zod';
import { AgentName, amount, count, list, looseText, matching, oneOf, text, UtcSecond } from './fields.ts';

const MAX_RECIPIENTS = 10;
const MAX_CONTEXT_WORDS = 500;

const Recipients = list(AgentName, MAX_RECIPIENTS).min(1, 'expected at least 1 entry');

export const MessageId = matching(
  /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/,
  'an id of 1 to 200 letters, digits, ".", "_", ":" or "-"',
);

export const REQUIRED_FIELDS = {
  id: MessageId,
  from: AgentName,
  to: z.union([AgentName, Recipients], 'expected a name, or a list of 1 to 10 names'),
  priority: oneOf(['P0', 'P1', 'P2', 'P3']),
  created_at_utc: UtcSecond,
  subject: text(200),
} as const;

export const OPTIONAL_FIELDS = {
  related_packet: looseText(1024).optional(),
  related_pr: matching(/^[0-9]{1,15}$/, 'digits').optional(),
  conversation_id: matching(
    /^conv-\d{8}-[A-Za-z0-9._-]{1,64}-\d{1,6}$/,
    'an id such as conv-20300131-name-1',
  ).optional(),
  parent_message_id: MessageId.optional(),
  context_keys: looseText(20_000)
    .refine((words) => words.split(/\s+/).length <= MAX_CONTEXT_WORDS, `expected at most ${MAX_CONTEXT_WORDS} words`)
    .optional(),
  expires_at: UtcSecond.optional(),
  channel: matching(/^[A-Za-z0-9_-]{1,64}$/, 'a name of 1 to 64 letters, digits, "-" or "_"').optional(),
  /** A hint by the sender, which Fixpoint ignores. */
  autonomy_hint: oneOf(['auto_proceed']).optional(),
} as const;

/** What the sender's run used; allowed for every type except `review_request`. */
export const TELEMETRY_FIELDS = {
  model: text(200).optional(),
  turns: count.optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  wall_time_s: amount.optional(),
  est_cost_usd: amount.optional(),
} as const;

/** A detached signature. It is passed on but never trusted: the token or folder decides who may send. */
export const AUTH_FIELD = { auth: text(4096).optional() } as const;

export const FIELD_ORDER: readonly string[] = [
  'id',
  'from',
  'to',
  'type',
  'priority',
  'created_at_utc',
  ...Object.keys(OPTIONAL_FIELDS),
  ...Object.keys(TELEMETRY_FIELDS),
  'subject',
  'body',
  ...Object.keys(AUTH_FIELD),
];
