import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FindingsPacket } from '../../../shared/protocol/findings-packet.ts';
import { HandoffPacket } from '../../../shared/protocol/handoff-packet.ts';
import { ReviewMessage } from '../../../shared/protocol/message.ts';
import { parseFindingsPacket, parseHandoffPacket, printPacket } from '../../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import { printMessage } from '../../../shared/protocol/print-message.ts';
import { propertyRuns } from '../../support/deep.ts';
import { EXAMPLES, example, TYPES } from './examples.ts';

/** Texts that YAML might take for something else, or lose a part of. */
const NASTY = [
  '- a',
  ': ',
  '#x',
  '|',
  '>',
  '&a',
  '*a',
  '!t',
  '%y',
  '---',
  '...',
  'null',
  '~',
  'yes',
  '0123456',
  '1e3',
  '"',
  "'",
  '{',
  '[',
];
const words = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength }),
      fc.string({
        unit: fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u2028', '\u0085', ':', '#', '-'),
        minLength: 1,
        maxLength,
      }),
      fc.constantFrom(...NASTY),
    )
    .filter((text) => /\S/.test(text) && !/\p{Cs}/u.test(text));

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
const sha = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{7,40}$/),
  fc.constantFrom('0123456', '1234567', '12345e9', '0000000'),
);
const path = fc.stringMatching(/^[a-z0-9_.+ @-]{1,12}$/).filter((text) => !['.', '..', '.git'].includes(text));
const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d{3}/, ''));
const positive = fc.integer({ min: 1, max: 1_000_000 });

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const nit = fc.record({
  nit_id: name,
  tier: fc.constantFrom('P2', 'P3'),
  summary: words(60),
  owner: words(20),
  next_action: words(60),
  tracking_ref: optional(words(30)),
});

const bodies = {
  review_request: fc.record({
    pr: positive,
    branch: fc.stringMatching(/^[a-z0-9]{1,20}$/),
    diff_summary: words(200),
    handoff_ref: optional(words(50)),
    max_turns_reviewer: optional(positive),
    max_runtime_s_reviewer: optional(positive),
  }),
  review_feedback: fc.record({
    findings_packet: path,
    round: positive,
    blocking_count: fc.nat(),
    escalation: optional(fc.constantFrom('max_rounds_exceeded', 'reviewer_budget_exceeded')),
  }),
  review_addressed: fc.record({
    commit_sha: sha,
    changes_summary: words(200),
    round: positive,
    touched_files: optional(fc.array(path, { maxLength: 4 })),
    addressed_finding_ids: optional(fc.array(words(20), { maxLength: 4 })),
  }),
  review_lgtm: fc.record({
    quality_gate_result: fc.constant('pass'),
    merge_ready: fc.boolean(),
    nits: optional(fc.array(nit, { maxLength: 3 })),
  }),
};

const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const message = fc.constantFrom(...TYPES).chain((type) =>
  fc
    .record({
      id: fc.oneof(name, fc.constantFrom('0123', '1e5')),
      from: name.map((from) => `a${from}`),
      to: fc.oneof(
        name.map((to) => `b${to}`),
        fc.array(
          name.map((to) => `b${to}`),
          { minLength: 1, maxLength: 3 },
        ),
      ),
      type: fc.constant(type),
      priority: fc.constantFrom('P0', 'P1', 'P2', 'P3'),
      created_at_utc: time,
      subject: words(100),
      context_keys: optional(words(50)),
      auth: optional(words(50)),
      body: bodies[type],
    })
    .map((raw) => ReviewMessage.parse(withoutUndefined(raw))),
);

test('what is printed reads as what it was', () => {
  fc.assert(
    fc.property(message, (sent) => {
      expect(parseMessage(printMessage(sent))).toEqual({ kind: 'message', message: sent });
    }),
    propertyRuns(300, 10_000),
  );
});

test('arbitrary text is a message or is refused with a reason, and never throws', () => {
  const cut = fc.tuple(fc.constantFrom(...TYPES), fc.nat(), fc.string()).map(([type, at, text]) => {
    const whole = EXAMPLES[type];
    const index = at % whole.length;
    return whole.slice(0, index) + text + whole.slice(index);
  });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), cut), (text) => {
      const reading = parseMessage(text);
      expect(reading.kind === 'message' || reading.problems.length > 0).toBe(true);
    }),
    propertyRuns(300, 10_000),
  );
});

test.each(TYPES)('prints the example of %s as it is published: plain names, quoted texts, a literal body', (type) => {
  const unquoted = (text: string): string => text.replaceAll(/^( {4,6}\w+: )"(.*)"$/gm, '$1$2');
  const expected = unquoted(EXAMPLES[type]).replace('commit_sha: 0123456', 'commit_sha: "0123456"');
  expect(printMessage(example(type))).toBe(expected);
});

const finding = fc.record({
  severity: fc.constantFrom('P0', 'P1', 'P2'),
  blocking: fc.boolean(),
  status: fc.constantFrom('open', 'fixed', 'wont_fix', 'not_fixed', 'needs_clarification'),
  area: fc.constantFrom('code', 'test', 'security'),
  file: fc.oneof(fc.constant(''), path),
  line: fc.option(positive),
  repro: words(100),
  expected: fc.constantFrom('', 'x'),
  evidence: words(100),
  recommendation: words(100),
});

const packet = fc.record({ findings: fc.array(finding, { maxLength: 5 }), at: time, reviewer: name }).map((raw) => {
  const standing = raw.findings.filter(({ status }) => status !== 'fixed' && status !== 'wont_fix');
  const blocking = standing.filter((each) => each.blocking).length;
  return FindingsPacket.parse({
    packet_id: '20300105_topic_rex_r1',
    source_review_packet: '',
    reviewer: raw.reviewer,
    round: 1,
    created_at_utc: raw.at,
    summary: { verdict: 'feedback', blocking_count: blocking, non_blocking_count: standing.length - blocking },
    findings: raw.findings.map((each, index) => ({ ...each, id: `F-00${index}` })),
  });
});

test('a findings packet that is printed reads as what it was', () => {
  fc.assert(
    fc.property(packet, (sent) => {
      expect(parseFindingsPacket(printPacket(sent))).toEqual({ kind: 'packet', packet: sent });
    }),
    propertyRuns(150, 5_000),
  );
});

const some = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 1, maxLength: 3 });

const handoff = fc
  .record({
    source_agent: name.map((text) => `a${text}`),
    target_agent: name.map((text) => `b${text}`),
    intent: words(100),
    artifacts_to_review: some(words(30)),
    definition_of_done: some(words(30)),
    context_bundle: fc.record({
      files_touched: some(fc.record({ path, rationale: words(30) })),
      decisions_made: some(fc.record({ decision: words(30), alternatives_considered: some(words(30)) })),
      blockers_hit: some(fc.record({ blocker: words(30), workarounds_attempted: some(words(30)) })),
      suggested_next_steps: some(words(30)),
    }),
  })
  .map((raw) => HandoffPacket.parse(raw));

test('a hand-off packet that is printed reads as what it was', () => {
  fc.assert(
    fc.property(handoff, (sent) => {
      expect(parseHandoffPacket(printPacket(sent))).toEqual({ kind: 'packet', packet: sent });
    }),
    propertyRuns(150, 5_000),
  );
});
