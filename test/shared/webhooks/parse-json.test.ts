import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../shared/webhooks/parse-json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text, 'utf8'));
const RUNS = process.env['FIXPOINT_DEEP'] === '1' ? 5000 : 200;
const TOO_DEEP = { ok: false, reason: 'the body is nested too deeply' };
const INVALID = { ok: false, reason: 'the body is not valid JSON' };

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: RUNS, seed: 7 },
    );
  });

  it('stops before it builds what nests too deep', () => {
    expect(parse(`${'['.repeat(64)}${']'.repeat(64)}`)).toMatchObject({ ok: true });
    expect(parse(`${'['.repeat(65)}${']'.repeat(65)}`)).toEqual(TOO_DEEP);
    expect(parse('{"a":'.repeat(100_000))).toEqual(TOO_DEEP);
  });

  it('counts no brackets inside strings', () => {
    const value = { text: `${'['.repeat(100)}\\"${'{'.repeat(100)}` };
    expect(parse(JSON.stringify(value))).toEqual({ ok: true, value });
    expect(parse(`"\\"","${'['.repeat(65)}`)).toEqual(INVALID);
    expect(parse(`["\\\\",${'['.repeat(64)}`)).toEqual(TOO_DEEP);
  });

  it('counts the same levels whatever the strings between them hold', () => {
    const awkward = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', 'a'), maxLength: 40 });
    fc.assert(
      fc.property(awkward, fc.integer({ min: 60, max: 68 }), (string, levels) => {
        const text = `${'['.repeat(levels)}${JSON.stringify(string)}${']'.repeat(levels)}`;
        expect(parse(text)).toEqual(levels > 64 ? TOO_DEEP : { ok: true, value: JSON.parse(text) });
      }),
      { numRuns: RUNS, seed: 7 },
    );
  });

  it('refuses invalid UTF-8 instead of replacing it', () => {
    expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual(INVALID);
  });

  it.each(['', '{', '"', '"\\', '{"a":1}}', 'NaN'])('refuses %j', (text) => {
    expect(parse(text)).toEqual(INVALID);
  });

  it('keeps "__proto__" a plain field', () => {
    const parsed = parseJson(Buffer.from('{"__proto__":{"x":1}}'));
    expect(parsed.ok && Object.keys(Object(parsed.value))).toEqual(['__proto__']);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});
