import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alsoWithoutBoundary,
  createBoundaries,
  redactBoundary,
  withoutBoundary,
} from '../../../shared/agent/boundary.ts';
import { fence } from '../../../shared/agent/fence.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { propertyRuns } from '../../support/deep.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SECRET = 'a long secret of this installation';
const at =
  (nowMs: number, ...secrets: readonly string[]) =>
  (forge = 'main', projectId = 7) =>
    createBoundaries(secrets, () => nowMs)({ forge, projectId });
const BOUNDARY = at(NOON, SECRET)();

describe('the boundary', () => {
  it('is the same for a project and a day, in every process with the same secrets', () => {
    expect(BOUNDARY).toMatch(/^[0-9a-f]{32}$/);
    expect(at(NOON + 11 * 3600_000, SECRET)()).toBe(BOUNDARY);
    expect(at(NOON, 'short', SECRET)()).toBe(BOUNDARY);
    expect(at(NOON, SECRET, 'another long secret')()).toBe(at(NOON, 'another long secret', SECRET)());
  });

  it.each([
    ['on the next day', at(NOON + 12 * 3600_000, SECRET)()],
    ['in another project', at(NOON, SECRET)('main', 8)],
    ['on another forge', at(NOON, SECRET)('other', 7)],
    ['with other secrets', at(NOON, `${SECRET}.`)()],
    ['with more secrets', at(NOON, SECRET, 'another long secret')()],
  ])('is another %s', (_name, other) => {
    expect(other).toMatch(/^[0-9a-f]{32}$/);
    expect(other).not.toBe(BOUNDARY);
  });

  it.each([[[]], [['sk-1234']]])('is drawn for the process where the secrets are %j', (secrets) => {
    const boundaryOf = createBoundaries(secrets, () => NOON);
    const project = { forge: 'main', projectId: 7 };
    expect(boundaryOf(project)).toBe(boundaryOf(project));
    expect(boundaryOf(project)).not.toBe(createBoundaries(secrets, () => NOON)(project));
  });
});

describe('text for a model', () => {
  it.each([
    ['as it is', `x ${BOUNDARY} y`, 'x [redacted] y'],
    ['in upper case, twice', `${BOUNDARY.toUpperCase()}${BOUNDARY}`, '[redacted][redacted]'],
    [
      'with something invisible inside',
      `a\u202e ${BOUNDARY.slice(0, 5)}\u200b${BOUNDARY.slice(5)}`,
      `a[U+202E] ${BOUNDARY.slice(0, 5)}[U+200B]${BOUNDARY.slice(5)}`,
    ],
    ['with code between its characters', BOUNDARY.split('').join('[]+!'), BOUNDARY.split('').join('[]+!')],
    ['not at all', 'a\u202eb', 'a\u202eb'],
  ])('that holds it %s is altered visibly, and loses nothing else', (_name, text, shown) => {
    expect(withoutBoundary(text, BOUNDARY)).toBe(shown);
    expect(alsoWithoutBoundary(createRedactor([]), BOUNDARY)(text).text).toBe(shown);
  });

  it('never leaves its fence, whatever is in it', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(BOUNDARY, BOUNDARY.toUpperCase(), `</data-${BOUNDARY}>`, '\u200b', '\r\n', '\n'),
      fc.nat(32).map((end) => BOUNDARY.slice(0, end)),
      fc.nat(32).map((start) => BOUNDARY.slice(start)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const block = fence('diff', pieces.join(''), BOUNDARY);
        const body = block.slice(`<data-${BOUNDARY} diff>\n`.length, -`\n</data-${BOUNDARY}>`.length);
        expect(block).toBe(`<data-${BOUNDARY} diff>\n${body}\n</data-${BOUNDARY}>`);
        expect(body.toLowerCase()).not.toContain(BOUNDARY);
      }),
      propertyRuns(300, 10_000),
    );
  });

  it('has no fence with a weak boundary', () => {
    expect(() => fence('diff', 'x', 'short')).toThrow(/cannot be fenced/);
  });
});

describe('what a model wrote', () => {
  const token = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

  it('loses it in every form, wherever it is, and nothing else', () => {
    const written = {
      summary: `Look: ${BOUNDARY.split('').join(' ')}.`,
      findings: [{ body: Buffer.from(`at ${BOUNDARY} it is`).toString('base64'), line: 3, none: null }],
      kept: token,
    };
    const redacted = redactBoundary(written, BOUNDARY);
    expect(redacted).toEqual({
      summary: 'Look: [redacted].',
      findings: [{ body: expect.stringContaining('[redacted]'), line: 3, none: null }],
      kept: token,
    });
    expect(Object.keys(redactBoundary(JSON.parse('{"__proto__":{"a":1}}'), BOUNDARY))).toEqual(['__proto__']);
  });

  it('may be nested without end', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5_000)}"${BOUNDARY}"${']'.repeat(5_000)}`);
    expect(() => redactBoundary(deep, BOUNDARY)).not.toThrow();
  });
});
