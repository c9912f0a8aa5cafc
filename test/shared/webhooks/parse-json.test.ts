import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../shared/webhooks/parse-json.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text, 'utf8'));
const TOO_DEEP = { ok: false, reason: 'the body nests too deep' };
const INVALID = { ok: false, reason: 'the body is not valid JSON' };

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    const runs = process.env['FIXPOINT_DEEP'] === '1' ? 5000 : 200;
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: runs, seed: 7 },
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
