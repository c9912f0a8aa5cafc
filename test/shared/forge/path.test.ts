import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiPath, withQuery } from '../../../shared/forge/path.ts';

const runs = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 200;

describe('apiPath', () => {
  it('encodes every variable part', () => {
    expect(apiPath`/repos/${'a/b'}/${'c?d#e'}/pulls/${7}`).toBe('/repos/a%2Fb/c%3Fd%23e/pulls/7');
  });

  it.each(['', '.', '..', '...'])('refuses the part %j, which would address something else', (part) => {
    expect(() => apiPath`/repos/${part}/x`).toThrow(RangeError);
  });

  it('keeps the number of segments whatever a part holds', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/^\.+$/.test(text));
    fc.assert(
      fc.property(part, part, (owner, name) => {
        const url = new URL(apiPath`/repos/${owner}/${name}/pulls`, 'https://forge.example');
        expect(url.pathname.split('/')).toEqual([
          '',
          'repos',
          encodeURIComponent(owner),
          encodeURIComponent(name),
          'pulls',
        ]);
        expect([url.search, url.hash, url.host]).toEqual(['', '', 'forge.example']);
      }),
      { seed: 3, numRuns: runs },
    );
  });
});

describe('withQuery', () => {
  it('adds nothing without parameters', () => {
    expect(withQuery('/x', {})).toBe('/x');
  });

  it('encodes names and values', () => {
    expect(withQuery('/x', { state: 'a&b', page: 2 })).toBe('/x?state=a%26b&page=2');
  });
});
