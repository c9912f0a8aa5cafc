/** One valid message of each type, as an author named ann and a reviewer named rex would write it. */
import type { MessageType } from '../../../shared/protocol/bodies.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import type { ReviewMessage } from '../../../shared/protocol/message.ts';

export const EXAMPLES: Readonly<Record<MessageType, string>> = {
  review_request: `id: "msg-20300105T0900Z-ann-001"
from: ann
to: rex
type: review_request
priority: P1
created_at_utc: "2030-01-05T09:00:00Z"
related_pr: "41"
subject: "Please look at the retry limit (#41)"
body: |
  pr: 41
  branch: ann/retry-limit
  diff_summary: |
    Bounds how often an upload is tried again.
    Two files, one new test.
  max_turns_reviewer: 6
  max_runtime_s_reviewer: 300
`,
  review_feedback: `id: "msg-20300105T0930Z-rex-001"
from: rex
to: ann
type: review_feedback
priority: P1
created_at_utc: "2030-01-05T09:30:00Z"
related_pr: "41"
subject: "Round 1 of #41"
body: |
  findings_packet: packets/findings/20300105_retry_rex_r1.yaml
  round: 1
  blocking_count: 2
  escalation: reviewer_budget_exceeded
`,
  review_addressed: `id: "msg-20300105T1000Z-ann-002"
from: ann
to: rex
type: review_addressed
priority: P1
created_at_utc: "2030-01-05T10:00:00Z"
related_pr: "41"
subject: "Round 1 of #41 is worked in"
body: |
  commit_sha: 0123456
  changes_summary: |
    The limit counts the first try too:
    - off by one in the loop
    - the test covers it
  round: 1
  touched_files:
    - src/upload.ts
    - test/upload.test.ts
  addressed_finding_ids:
    - F-001
    - F-002
`,
  review_lgtm: `id: "msg-20300105T1030Z-rex-002"
from: rex
to: ann
type: review_lgtm
priority: P2
created_at_utc: "2030-01-05T10:30:00Z"
related_pr: "41"
subject: "Good to go: #41"
body: |
  quality_gate_result: pass
  merge_ready: true
  nits:
    - nit_id: NIT-001
      tier: P3
      summary: "The log line could name the file"
      owner: ann
      next_action: "Small change of its own next week"
`,
};

export const TYPES = ['review_request', 'review_feedback', 'review_addressed', 'review_lgtm'] as const;

export const example = <Type extends MessageType>(type: Type): Extract<ReviewMessage, { type: Type }> => {
  const reading = parseMessage(EXAMPLES[type]);
  if (reading.kind !== 'message' || reading.message.type !== type) throw new Error(JSON.stringify(reading));
  // The type was compared just above; TypeScript does not narrow by a type parameter.
  return reading.message as Extract<ReviewMessage, { type: Type }>;
};
