import { parse, stringify } from 'yaml';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { BODIES } from '../../../shared/protocol/bodies.ts';
import { AUTH_FIELD, OPTIONAL_FIELDS, REQUIRED_FIELDS, TELEMETRY_FIELDS } from '../../../shared/protocol/envelope.ts';
import { Nit } from '../../../shared/protocol/nit.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import { EXAMPLES, example, TYPES } from './examples.ts';

const problemsOf = (text: string) => {
  const reading = parseMessage(text);
  return reading.kind === 'refused' ? reading.problems : [];
};

const fieldsAt = (text: string): readonly string[] => problemsOf(text).map(({ field }) => field);

/** The example as data, with a mapping as body. */
const asData = (type: (typeof TYPES)[number]): Record<string, unknown> => {
  const data = parse(EXAMPLES[type]) as Record<string, unknown>;
  return { ...data, body: parse(EXAMPLES[type].split('body: |\n')[1] ?? '', { schema: 'failsafe' }) };
};

const plainBody = (type: (typeof TYPES)[number]): Record<string, unknown> => ({ ...example(type).body });

const withBody = (type: (typeof TYPES)[number], body: unknown): string =>
  stringify({ ...asData(type), body: typeof body === 'string' ? body : stringify(body) });

test.each(TYPES)('reads the example of %s', (type) => {
  expect(parseMessage(EXAMPLES[type])).toMatchObject({ kind: 'message', message: { type } });
});

test.each(TYPES)('reads a body of %s that is a mapping like one that is a text', (type) => {
  const text = stringify({ ...asData(type), body: plainBody(type) });
  expect(parseMessage(text)).toEqual(parseMessage(EXAMPLES[type]));
});

type Row = [type: (typeof TYPES)[number], field: string];

const isOptional = (schema: unknown): boolean => schema instanceof z.ZodOptional;

const envelopeRows: readonly Row[] = TYPES.flatMap((type) =>
  ['type', 'body', ...Object.keys(REQUIRED_FIELDS)].map((field): Row => [type, field]),
);

const bodyRows = (wanted: 'required' | 'optional'): readonly Row[] =>
  TYPES.flatMap((type) =>
    Object.entries(BODIES[type].shape)
      .filter(([, schema]) => isOptional(schema) === (wanted === 'optional'))
      .map(([field]): Row => [type, field]),
  );

/** Of no field's type. */
const WRONG = [{ wrong: ['type'] }];

describe('a field that is required', () => {
  it('is known for every message: the tables below are not empty', () => {
    expect(envelopeRows).toHaveLength(32);
    expect(bodyRows('required').map(([, field]) => field)).toEqual([
      'pr',
      'branch',
      'diff_summary',
      'findings_packet',
      'round',
      'blocking_count',
      'commit_sha',
      'changes_summary',
      'round',
      'quality_gate_result',
      'merge_ready',
    ]);
  });

  it.each(envelopeRows)('of %s around the body is named when it is not there: %s', (type, field) => {
    const { [field]: _, ...rest } = asData(type);
    const problem = problemsOf(stringify(rest)).find((each) => each.field === field);
    expect(problem?.message).toMatch(/^is missing; /);
  });

  it.each(envelopeRows)('of %s around the body is named when it is mistyped: %s', (type, field) => {
    expect(fieldsAt(stringify({ ...asData(type), [field]: WRONG }))).toContainEqual(
      expect.stringMatching(`^${field}\\b`),
    );
  });

  it.each(bodyRows('required'))('of the body of %s is named when it is not there: %s', (type, field) => {
    const { [field]: _, ...rest } = plainBody(type);
    const problem = problemsOf(withBody(type, rest)).find((each) => each.field === `body.${field}`);
    expect(problem?.message).toMatch(/^is missing; /);
  });

  it.each([...bodyRows('required'), ...bodyRows('optional')])(
    'or is not, of the body of %s, is named when it is mistyped: %s',
    (type, field) => {
      const text = withBody(type, { ...plainBody(type), [field]: WRONG });
      expect(fieldsAt(text)).toContainEqual(expect.stringMatching(`^body\\.${field}\\b`));
    },
  );
});

describe('a nit of a pass', () => {
  const [nit] = example('review_lgtm').body.nits ?? [];
  const withNit = (fields: Record<string, unknown>): string =>
    withBody('review_lgtm', { ...plainBody('review_lgtm'), nits: [fields] });

  // Any field, by its name.
  const without = (field: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries({ ...nit }).filter(([name]) => name !== field));
  const required = Object.entries(Nit.shape).flatMap(([field, schema]) => (isOptional(schema) ? [] : [field]));

  it('must say at least what it is, whose it is and what happens next', () => {
    expect(required).toEqual(expect.arrayContaining(['nit_id', 'tier', 'summary', 'owner', 'next_action']));
  });

  it.each(required)('names its field when that is not there: %s', (field) => {
    const problem = problemsOf(withNit(without(field))).find((each) => each.field === `body.nits[0].${field}`);
    expect(problem?.message).toMatch(/^is missing; /);
  });

  it.each(Object.keys(Nit.shape))('names its field when that is mistyped: %s', (field) => {
    expect(fieldsAt(withNit({ ...without(field), [field]: WRONG }))).toContainEqual(
      expect.stringMatching(`^body\\.nits\\[0\\]\\.${field}\\b`),
    );
  });
});

test.each([...Object.keys(OPTIONAL_FIELDS), ...Object.keys(AUTH_FIELD), ...Object.keys(TELEMETRY_FIELDS)])(
  'an optional field is named when it is mistyped: %s',
  (field) => {
    expect(fieldsAt(stringify({ ...asData('review_feedback'), [field]: WRONG }))).toContain(field);
  },
);

test.each([...Object.keys(OPTIONAL_FIELDS), ...Object.keys(AUTH_FIELD)])(
  'an optional field that is empty counts as absent: %s',
  (field) => {
    const { [field]: _, ...rest } = asData('review_lgtm');
    const text = stringify({ ...rest, body: EXAMPLES.review_lgtm.split('body: |\n')[1], [field]: '' });
    const reading = parseMessage(text.replace(`${field}: ""`, `${field}:`));
    expect(reading.kind === 'message' && field in reading.message).toBe(false);
    expect(reading.kind).toBe('message');
  },
);

describe('the values of a message', () => {
  it.each([
    ['review_request', 'branch: ann/retry-limit', 'branch: 1234', 'branch', '1234'],
    ['review_request', 'branch: ann/retry-limit', 'branch: 2030.10', 'branch', '2030.10'],
    ['review_request', 'branch: ann/retry-limit', 'branch: true', 'branch', 'true'],
    ['review_addressed', 'changes_summary: |', 'changes_summary: 42 #', 'changes_summary', '42'],
  ] as const)('keep a text that looks like something else: %s with %s as %s', (type, from, to, field, text) => {
    const reading = parseMessage(EXAMPLES[type].replace(from, to).replace(/#\n(?: {4}.*\n)+/, '\n'));
    expect(reading).toMatchObject({ message: { body: { [field]: text } } });
  });

  it.each([
    ['commit_sha: 0123456', '0123456'],
    ['commit_sha: "0123456"', '0123456'],
    ['commit_sha: 1234567', '1234567'],
    ['commit_sha: 12345e9', '12345e9'],
    ['commit_sha: abcdef0', 'abcdef0'],
  ])('keep a short SHA as it is written: %s', (written, sha) => {
    const reading = parseMessage(EXAMPLES.review_addressed.replace('commit_sha: 0123456', written));
    expect(reading).toMatchObject({ message: { body: { commit_sha: sha } } });
  });

  const replaced: readonly (readonly [(typeof TYPES)[number], string, string, string])[] = [
    ['review_request', 'to: rex', 'to: ann', 'to'],
    ['review_request', 'to: rex', 'to: []', 'to'],
    ['review_request', 'to: rex', 'to: [rex, ann]', 'to'],
    ['review_request', 'related_pr: "41"', 'related_pr: "42"', 'related_pr'],
    ['review_request', '2030-01-05T09', '2030-02-30T09', 'created_at_utc'],
    ['review_request', '09:00:00Z', '09:00:00+01:00', 'created_at_utc'],
    ['review_request', 'priority: P1', 'priority: P4', 'priority'],
    ['review_request', 'priority: P1', 'priority: P1\nmodel: m', 'model'],
    ['review_request', 'priority: P1', 'priority: P1\nurgent: true', 'urgent'],
    ['review_request', 'from: ann', 'from: -ann', 'from'],
    ['review_request', 'type: review_request', 'type: task_request', 'type'],
    ['review_request', '  pr: 41', '  pr: "41"', 'body.pr'],
    ['review_request', 'ann/retry-limit', '../x', 'body.branch'],
    ['review_request', '_reviewer: 6', '_reviewer: 1.5', 'body.max_turns_reviewer'],
    ['review_request', 'max_turns_reviewer', 'max_turn_reviewer', 'body.max_turn_reviewer'],
    ['review_feedback', 'packets/findings', '../findings', 'body.findings_packet'],
    ['review_feedback', 'packets/findings', '/packets', 'body.findings_packet'],
    ['review_feedback', 'packets/findings', 'C:/packets', 'body.findings_packet'],
    ['review_feedback', 'packets/findings', '.git/x', 'body.findings_packet'],
    ['review_feedback', 'round: 1', 'round: 0', 'body.round'],
    ['review_feedback', 'blocking_count: 2', 'blocking_count: -1', 'body.blocking_count'],
    ['review_feedback', 'reviewer_budget_exceeded', 'Too Long', 'body.escalation'],
    ['review_addressed', '0123456', 'HEAD', 'body.commit_sha'],
    ['review_addressed', 'src/upload.ts', '../upload.ts', 'body.touched_files[0]'],
    ['review_lgtm', 'result: pass', 'result: fail', 'body.merge_ready'],
    ['review_lgtm', 'tier: P3', 'tier: P1', 'body.nits[0].tier'],
    ['review_lgtm', 'owner: ann', 'owner: ""', 'body.nits[0].owner'],
    ['review_lgtm', 'merge_ready: true', 'merge_ready: yes', 'body.merge_ready'],
  ];
  it.each(replaced)('of %s are refused where %j became %j: %s', (type, old, fresh, field) => {
    expect(EXAMPLES[type]).toContain(old);
    expect(fieldsAt(EXAMPLES[type].replace(old, fresh))).toEqual([field]);
  });

  it('may be for several, and says so in a list', () => {
    const reading = parseMessage(EXAMPLES.review_request.replace('to: rex', 'to: [rex, rob]'));
    expect(reading).toMatchObject({ message: { to: ['rex', 'rob'] } });
  });
});

test('a change request has a number from 1 on, the same around the body and in it', () => {
  expect(fieldsAt(EXAMPLES.review_request.replace('  pr: 41', '  pr: 0'))).toEqual(['body.pr', 'related_pr']);
});

test('every mistake is told at once, each with the line that it stands on', () => {
  const text = EXAMPLES.review_feedback
    .replace('priority: P1', 'priority: high')
    .replace('round: 1', 'round: first')
    .replace('blocking_count: 2', 'blocking_count: [2]');
  expect(problemsOf(text).map(({ field, line }) => [field, line])).toEqual([
    ['priority', 5],
    ['body.round', 11],
    ['body.blocking_count', 12],
  ]);
});

test('a mistake in a quoted body has the line of the body', () => {
  const text = EXAMPLES.review_feedback.replace(
    /body: \|[\s\S]*/,
    'body: "findings_packet: a.yaml\\nround: x\\nblocking_count: 0"\n',
  );
  expect(problemsOf(text)).toEqual([
    { field: 'body.round', line: 9, message: 'expected a whole number of at least 1' },
  ]);
});

test('nothing of what was sent is repeated in what is said about it', () => {
  const hidden = 'hunter2hunter2';
  const texts = [
    EXAMPLES.review_request.replace('pr: 41', `pr: ${hidden}`),
    EXAMPLES.review_request.replace('priority: P1', `priority: ${hidden}`),
    `a: [${hidden}`,
    `a: *${hidden}`,
    `a: !${hidden} x`,
  ];
  for (const text of texts) {
    expect(problemsOf(text)).not.toEqual([]);
    expect(JSON.stringify(problemsOf(text))).not.toContain(hidden);
  }
});

test('a body longer than 20,000 characters is refused, one that is as long is not', () => {
  const at = (length: number): string => {
    const data = { ...asData('review_request'), body: '' };
    const body = `pr: 41\nbranch: a\ndiff_summary: x\n`;
    return stringify({ ...data, body: `${body}#${'c'.repeat(length - body.length - 1)}` });
  };
  expect(fieldsAt(at(20_001))).toEqual(['body']);
  expect(parseMessage(at(20_000)).kind).toBe('message');
});
