import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sameSecret } from '../../../shared/webhooks/same-secret.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const FOLDERS = ['shared/webhooks', 'services/ingress'];
const SECRET_WORDS = String.raw`(?:[a-z]*(?:secret|signature|signed|token|hmac|digest|expected|given)[a-z]*)`;
const OPERAND = String.raw`\b${SECRET_WORDS}(?:\.\w+)*`;
const COMPARISON = new RegExp(
  String.raw`${OPERAND}\s*[!=]==?(?!=)(?!\s*(?:null|undefined)\b)|(?<!null|undefined)\s[!=]==?\s*${OPERAND}`,
  'i',
);
const MEMBERSHIP = new RegExp(String.raw`\b${SECRET_WORDS}s?\.(?:includes|indexOf|has)\(`, 'i');

/** Asking for presence or length tells nothing about the value. */
const withoutHarmless = (line: string): string =>
  line.replaceAll(/[\w.]+(?:\.length\s*(?:[!=]==?|[<>]=?)\s*0\b|\s[!=]==\s'')/g, '');

const compares = (line: string): boolean => COMPARISON.test(line) || MEMBERSHIP.test(line);

const findComparisons = (source: string): readonly string[] =>
  source.split('\n').filter((line) => compares(withoutHarmless(line)));

describe('secrets and signatures', () => {
  it('are never compared with an operator or looked up in a list', () => {
    const files = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name)));
    const found = files.flatMap((file) =>
      findComparisons(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });

  it.each([
    'if (signature === expected) return true;',
    "if (headers['x-gitlab-token'] !== secret) return false;",
    'return forge.webhookSecret == header;',
    'return tokens.includes(header);',
    "return token === '' ? false : token === header;",
    'return secret.length === 0 || secret === header;',
  ])('would be found by this scan in: %s', (line) => {
    expect(findComparisons(line)).toEqual([line]);
  });

  it('are compared by the runtime in constant time, as digests of one length', () => {
    const source = readFileSync(join(ROOT, 'shared/webhooks/same-secret.ts'), 'utf8');
    const body = /^export const sameSecret = .*=>\n {2}(.*);$/m.exec(source)?.[1];
    expect(body).toBe('timingSafeEqual(digest(left), digest(right))');
    expect(source).toContain("import { hash, timingSafeEqual } from 'node:crypto';");
  });

  it('are compared without throwing, whatever their lengths', () => {
    expect(sameSecret('', '')).toBe(true);
    expect(sameSecret('abc', Buffer.from('abc'))).toBe(true);
    for (const [left, right] of [
      ['', 'a'],
      ['a', 'ab'],
      ['a'.repeat(10_000), 'a'],
      ['ä', 'a'],
    ] as const) {
      expect(sameSecret(left, right)).toBe(false);
      expect(sameSecret(right, left)).toBe(false);
    }
  });
});
