/** The examples of the published protocol, whose line breaks the stored text has lost. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BODIES, MessageType } from '../../../shared/protocol/bodies.ts';
import { REQUIRED_FIELDS } from '../../../shared/protocol/envelope.ts';
import { Nit } from '../../../shared/protocol/nit.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import { sharedData } from '../../support/shared-data.ts';

const path = sharedData('..', 'seeds', '0-review-loop-protocol.txt');
const published = path === null ? '' : readFileSync(path, 'utf8');

const ENVELOPE = [...Object.keys(REQUIRED_FIELDS), 'type', 'related_pr'].filter((name) => name !== 'id');

const bodyKeys = (type: MessageType): readonly string[] => [
  ...Object.keys(BODIES[type].shape),
  ...Object.keys(Nit.shape),
];

const restoreEnvelope = (text: string): string =>
  text.replaceAll(new RegExp(`(${ENVELOPE.join('|')}): (?=[a-zP"])`, 'g'), '\n$1: ');

const restoreBody = (text: string, keys: readonly string[]): string => {
  const inNit = new Set(Object.keys(Nit.shape).slice(1));
  const lines = text.replaceAll(new RegExp(` (?=- )|(?<!-) (?=(?:${keys.join('|')}):(?: |$))`, 'g'), '\n').split('\n');
  const indented = lines
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [key = ''] = line.split(':');
      const indent = line.startsWith('- ') ? 4 : inNit.has(key) ? 6 : 2;
      const [head, literal] = line.split(/\| (.*)/);
      const first = `${' '.repeat(indent)}${literal === undefined ? line : `${head}|`}`;
      return literal === undefined ? [first] : [first, `    ${literal}`];
    });
  return indented.join('\n');
};

const restore = (type: MessageType): string => {
  const start = published.lastIndexOf('id: "', published.indexOf(`type: ${type}priority`));
  const [envelope = '', body = ''] = published.slice(start, published.indexOf('Body fields:', start)).split(/body: \|/);
  return `${restoreEnvelope(envelope)}\nbody: |\n${restoreBody(body, bodyKeys(type))}\n`;
};

describe.skipIf(path === null)('the published protocol (skipped where its text is not beside the checkout)', () => {
  it.each(MessageType.options)('has a valid example of %s', (type) => {
    const reading = parseMessage(restore(type));
    expect(reading).toMatchObject({ kind: 'message', message: { type, related_pr: '86' } });
  });

  const envelopeOf = (text: string): readonly [string, string] => {
    const [envelope = '', body = ''] = text.split(/^body: \|$/m);
    return [envelope, body];
  };
  /** `instead` takes the place of the field with all that is indented below it. */
  const replaceField = (text: string, [indent, field]: readonly [string, string], instead: string): string => {
    const replaced = text.replace(
      new RegExp(`^(${indent})${field}:.*\\n(?: {${indent.length + 2}}.*\\n)*`, 'm'),
      instead,
    );
    if (replaced === text) throw new Error(`the example has no ${field}`);
    return replaced;
  };
  const requiredOf = (type: MessageType): readonly string[] =>
    Object.entries(BODIES[type].shape).flatMap(([field, schema]) =>
      schema.safeParse(undefined).success ? [] : [field],
    );
  const missingIn = (text: string): readonly string[] => {
    const reading = parseMessage(text);
    return reading.kind === 'message'
      ? []
      : reading.problems.filter(({ message }) => message.startsWith('is missing')).map(({ field }) => field);
  };

  it.each(MessageType.options)('names each required field that is taken out of its example of %s', (type) => {
    const [envelope, body] = envelopeOf(restore(type));
    for (const field of [...Object.keys(REQUIRED_FIELDS), 'type'])
      expect(missingIn(`${replaceField(envelope, ['', field], '')}body: |${body}`)).toContain(field);
    for (const field of requiredOf(type))
      expect(missingIn(`${envelope}body: |${replaceField(body, ['  ', field], '')}`)).toContain(`body.${field}`);
  });

  const MISTYPED = '{ wrong: [true] }';
  const mistypedIn = (text: string): readonly string[] => {
    const reading = parseMessage(text);
    return reading.kind === 'message'
      ? []
      : reading.problems.filter(({ message }) => !message.startsWith('is missing')).map(({ field }) => field);
  };

  it.each(MessageType.options)('names each required field that is mistyped in its example of %s', (type) => {
    const [envelope, body] = envelopeOf(restore(type));
    for (const field of [...Object.keys(REQUIRED_FIELDS), 'type']) {
      const text = `${replaceField(envelope, ['', field], `${field}: ${MISTYPED}\n`)}body: |${body}`;
      expect(mistypedIn(text)).toContain(field);
    }
    for (const field of requiredOf(type)) {
      const text = `${envelope}body: |${replaceField(body, ['  ', field], `  ${field}: ${MISTYPED}\n`)}`;
      expect(mistypedIn(text)).toContain(`body.${field}`);
    }
  });

  it('names each required field that is mistyped in its example of a nit', () => {
    const [envelope, body] = envelopeOf(restore('review_lgtm'));
    const required = Object.entries(Nit.shape).flatMap(([field, schema]) =>
      schema.safeParse(undefined).success ? [] : [field],
    );
    for (const field of required) {
      const nit = replaceField(body, ['    (?:- |  )', field], `$1${field}: ${MISTYPED}\n`);
      expect(mistypedIn(`${envelope}body: |${nit}`)).toContain(`body.nits[0].${field}`);
    }
  });

  it('has every field of its examples in what is read', () => {
    const bodies = MessageType.options.map((type) => {
      const reading = parseMessage(restore(type));
      return reading.kind === 'message' ? Object.keys(reading.message.body) : [];
    });
    expect(bodies).toEqual([
      ['pr', 'branch', 'diff_summary', 'max_turns_reviewer', 'max_runtime_s_reviewer'],
      ['findings_packet', 'round', 'blocking_count'],
      ['commit_sha', 'changes_summary', 'round', 'touched_files', 'addressed_finding_ids'],
      ['quality_gate_result', 'merge_ready', 'nits'],
    ]);
  });

  it.each(MessageType.options)('knows the same body fields of %s as we do, and requires the same', (type) => {
    const table = published.slice(published.indexOf('Body fields:', published.indexOf(`type: ${type}priority`)));
    const rows = [...table.matchAll(/^\|? ?(?<name>\w+) \| (?<word>Yes|No) \|/gm)];
    const required = Object.entries(BODIES[type].shape).map(([name, schema]) => [
      name,
      schema.safeParse(undefined).success ? 'No' : 'Yes',
    ]);
    expect(rows.slice(0, required.length).map(({ groups }) => [groups?.['name'], groups?.['word']])).toEqual(required);
  });
});
