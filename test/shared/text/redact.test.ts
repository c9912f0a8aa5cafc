import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, REDACTED } from '../../../shared/text/redact.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { propertyRuns } from '../../support/deep.ts';
import { CANARY, OPTIONS } from './sanitize-fixture.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const percent = (text: string): string => (hex(text).match(/../g) ?? []).map((byte) => `%${byte}`).join('');
const reverse = (text: string): string => Array.from(text).toReversed().join('');
const dashes = '-'.repeat(5);

const FORMS: readonly (readonly [name: string, write: (secret: string) => string])[] = [
  ['raw', (secret) => secret],
  ['in upper case', (secret) => secret.toUpperCase()],
  ['split by a newline', (secret) => `${secret.slice(0, 7)}\n${secret.slice(7)}`],
  ['split by a quoted newline', (secret) => `> ${secret.slice(0, 7)}\n> ${secret.slice(7)}`],
  ['split by zero-width blanks', (secret) => Array.from(secret).join('\u200b')],
  ['spaced', (secret) => Array.from(secret).join(' ')],
  ['in bold pieces', (secret) => `${secret.slice(0, 5)}**${secret.slice(5)}**`],
  ['in base64', base64],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in base64 behind one byte', (secret) => base64(`x${secret}tail`)],
  ['in base64 behind two bytes', (secret) => base64(`xy${secret}`)],
  ['in base64 behind a user name', (secret) => base64(`oauth2:${secret}`)],
  ['in base64 over lines', (secret) => base64(secret).replace(/.{10}/g, '$&\n')],
  ['in hex', hex],
  ['in upper-case hex with colons', (secret) => (hex(secret).toUpperCase().match(/../g) ?? []).join(':')],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded throughout', percent],
  ['reversed', reverse],
  ['JSON-encoded', (secret) => JSON.stringify(secret)],
];

/** What a reader would need to rebuild a secret: each written form folded to letters and digits. */
const fold = (text: string): string => text.replace(/[^0-9a-z]/gi, '').toLowerCase();

describe('P6: own secrets', () => {
  const secrets = [CANARY, 'p/w+d=&?%"\\\n-with-Ünïcode-and-öddities'];

  it.each(FORMS)('are redacted %s', (_name, write) => {
    for (const secret of secrets) {
      const { text, count } = createRedactor(secrets)(`before ${write(secret)} after`);
      expect(count).toBe(1);
      expect(text).toMatch(/^before .{0,12}\[redacted\].{0,8} after$/);
      expect(fold(text)).not.toContain(fold(secret).slice(0, 12));
    }
  });

  it.each(FORMS)('do not reach a comment %s', (_name, write) => {
    const { body, redactions } = sanitize(`The key is ${write(CANARY)}!`, OPTIONS);
    expect(redactions).toBe(1);
    expect(fold(body)).not.toContain(fold(write(CANARY)).slice(4, -4));
  });

  it('are counted by place', () => {
    expect(createRedactor([CANARY])(`${CANARY}, ${hex(CANARY)} and ${CANARY}`)).toEqual({
      text: `${REDACTED}, ${REDACTED} and ${REDACTED}`,
      count: 3,
    });
  });

  it('F-T18: are redacted to the end where one begins inside another', () => {
    const [first, second] = [`${CANARY}-shared-middle`, 'shared-middle-and-an-end-of-its-own'];
    const overlapping = `${CANARY}-shared-middle-and-an-end-of-its-own`;
    for (const secrets of [
      [first, second],
      [second, first],
    ]) {
      expect(createRedactor(secrets)(`x ${overlapping} y`)).toEqual({ text: `x ${REDACTED} y`, count: 1 });
    }
  });

  it('are redacted to the end where one is inside another', () => {
    const [inner, outer] = ['a-secret-in-the-middle', `${CANARY}-a-secret-in-the-middle-and-more`];
    for (const secrets of [
      [inner, outer],
      [outer, inner],
    ]) {
      expect(createRedactor(secrets)(`x ${outer} y`)).toEqual({ text: `x ${REDACTED} y`, count: 1 });
    }
  });

  it('are counted one by one where they touch', () => {
    const other = 'another-secret-of-ours';
    expect(createRedactor([CANARY, other])(`x ${CANARY}${other} y`)).toEqual({
      text: `x ${REDACTED}${REDACTED} y`,
      count: 2,
    });
  });

  it('are looked for line by line when they have several lines', () => {
    const key = `first line of the key\n${'k'.repeat(20)}q1\nshort`;
    expect(createRedactor([key])(`x ${'k'.repeat(20)}q1 y`)).toEqual({ text: `x ${REDACTED} y`, count: 1 });
  });

  it('are looked for line by line only where a line has 16 characters, of which 8 are letters or digits', () => {
    const [long, short, ornament] = ['sixteen-or-more1', 'fifteen-or-less', `${'='.repeat(16)} text`];
    const redact = createRedactor([[long, short, ornament].join('\n')]);
    expect(redact(`${ornament}, ${short}, ${long}`)).toEqual({ text: `${ornament}, ${short}, ${REDACTED}`, count: 1 });
  });

  it('are not looked for when they are part of what stands in their place', () => {
    expect(createRedactor(['redacted', 'dact'])('a redacted text')).toEqual({ text: 'a redacted text', count: 0 });
  });

  it('are looked for exactly when they are short, and not at all below four characters', () => {
    const redact = createRedactor(['p@s5w', 'abc', '']);
    const others = `pas5w p@S5w ${hex('p@s5w')}`;
    expect(redact(`abc p@s5w ${others}`)).toEqual({ text: `abc ${REDACTED} ${others}`, count: 1 });
  });
});

describe('P6: credentials known by their form', () => {
  it.each([
    ['a GitLab token', ['glp', 'at-', 'aB3'.repeat(7)].join('')],
    ['a routable GitLab token', ['glp', 'at-', 'aB3'.repeat(7), '.01.a1b2c3'].join('')],
    ['a model key', ['sk', '-ant-', 'api03-', 'aB3_'.repeat(8)].join('')],
    ['a key of another model', ['sk', '-proj-', 'aB3_'.repeat(8)].join('')],
    ['a key of another model without a kind', ['sk', '-', 'aB3_'.repeat(8)].join('')],
    ['a cloud key id', ['AK', 'IA', 'ABCDEFGH', '12345678'].join('')],
    ['a GitHub token', ['gh', 'p_', 'aB3'.repeat(12)].join('')],
    ['a fine-grained GitHub token', ['github', '_pat_', 'aB3'.repeat(10)].join('')],
    ['a key of a map', ['AI', 'za', 'aB3-_'.repeat(7)].join('')],
    ['an access token of a cloud', ['ya', '29.', 'aB3_'.repeat(5)].join('')],
    ['a chat token', ['xo', 'xb-', '123456789012-abc'].join('')],
    ['a token of a chat app', ['xa', 'pp-', '1-A0123456789'].join('')],
    ['a payment key', ['sk', '_live_', 'aB3a'.repeat(4)].join('')],
    ['a webhook secret', ['wh', 'sec_', 'aB3/'.repeat(4)].join('')],
    ['a token of npm', ['np', 'm_', 'aB3'.repeat(10)].join('')],
    ['a token of PyPI', ['py', 'pi-', 'aB3_'.repeat(10)].join('')],
    ['a token of a model hub', ['h', 'f_', 'aB3'.repeat(10)].join('')],
    ['a token of a registry', ['dckr', '_pat_', 'aB3_'.repeat(5)].join('')],
    ['a mail key', ['S', 'G.', 'aB3_'.repeat(4), '.', 'aB3_'.repeat(4)].join('')],
    ['an age key', ['AGE', '-SECRET-KEY-', 'AB34'.repeat(10)].join('')],
    ['a web token', ['ey', 'JhbGciOiJI', '.ey', 'JzdWIiOiIxMjM', '.c2lnbmF0dXJl'].join('')],
    ['a private key', `${dashes}BEGIN RSA PRIVATE KEY${dashes}\nMIIabc\nDEF==\n${dashes}END RSA PRIVATE KEY${dashes}`],
    ['half a private key', `${dashes}BEGIN PRIVATE KEY${dashes}\nMIIabc\nDEF==\n`],
  ])('%s is redacted in a log, a comment and with a hidden character inside', (_name, token) => {
    const redact = createRedactor([]);
    expect(redact(`a: (${token})`)).toEqual({ text: `a: (${REDACTED})`, count: 1 });
    expect(redact(`(${token.slice(0, 8)}\u200b${token.slice(8)})`)).toEqual({ text: `(${REDACTED})`, count: 1 });
    expect(sanitize(`\`\`\`\n(${token})\n\`\`\``, OPTIONS).body).toBe(`\`\`\`\n(${REDACTED})\n\`\`\``);
  });

  describe('private keys', () => {
    const redact = createRedactor([]);
    const begin = `${dashes}BEGIN PRIVATE KEY${dashes}`;
    const end = `${dashes}END PRIVATE KEY${dashes}`;
    const key = `${begin}\nMIIabc\n${end}`;

    it('are redacted one by one, at the start of a text and where they touch', () => {
      expect(redact(`${key}${key}\n${key}`)).toEqual({ text: `${REDACTED}${REDACTED}\n${REDACTED}`, count: 3 });
    });

    it('are redacted to their own end line, not one that stands before', () => {
      expect(redact(`${end} text ${key} text`)).toEqual({ text: `${end} text ${REDACTED} text`, count: 1 });
    });

    it('are redacted to an end line at most 20,000 characters away', () => {
      const body = (length: number): string => `MII!${'#'.repeat(length - 4)}`;
      expect(redact(`${begin}${body(20_000)}${end}`).text).toBe(REDACTED);
      expect(redact(`${begin}${body(20_001)}${end}`).text).toBe(`${REDACTED}${body(20_001).slice(3)}${end}`);
    });
  });

  it('redacts the password of an address and the value of an authorization header', () => {
    const redact = createRedactor([]);
    expect(redact(`https://bot:${'pw'.repeat(3)}@host/x`).text).toBe(`https://bot:${REDACTED}@host/x`);
    expect(redact(`Authorization: Bearer ${'tok3n'.repeat(5)}`).text).toBe(`Authorization: Bearer ${REDACTED}`);
  });

  it('leaves ordinary text, hashes and identifiers alone', () => {
    const text = `sk-learn, task-ant, ${'a1'.repeat(20)}, UTF-8, glpat-short, eyJustText, https://host/a:b, Basic idea`;
    expect(createRedactor([CANARY])(text)).toEqual({ text, count: 0 });
  });
});

describe('createRedactor, as laws', () => {
  const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 30 });
  const runs = propertyRuns(250, 50_000);

  it('leaves no secret standing and changes nothing when applied twice', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (own, before, after) => {
        fc.pre(!fold(REDACTED).includes(fold(own)) || fold(own) === '');
        fc.pre(!REDACTED.includes(own));
        const redact = createRedactor([own]);
        const once = redact(`${before}${own}${after}`);
        expect(once.text).not.toContain(own);
        expect(once.count).toBeGreaterThan(0);
        expect(redact(once.text)).toEqual({ text: once.text, count: 0 });
      }),
      runs,
    );
  });
});
