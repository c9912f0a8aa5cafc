import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyForgejo } from '../../../shared/forge/forgejo/webhooks/verify-forgejo.ts';
import { signForgejo } from '../../support/sign-forgejo.ts';

const BODY = Buffer.from('{"action":"opened"}');
const SECRET = ['first', 'secret', 'of', 'the', 'forge'].join(' ');
const OTHER = ['second', 'secret', 'of', 'the', 'forge'].join(' ');
const GOOD = signForgejo(BODY, SECRET);

describe('verifyForgejo', () => {
  it('signs as the forges do', () => {
    expect(GOOD).toBe(createHmac('sha256', SECRET).update(BODY).digest('hex'));
  });

  it.each([
    ['x-forgejo-signature', GOOD],
    ['x-gitea-signature', GOOD],
    ['x-hub-signature-256', `sha256=${GOOD}`],
  ])('believes a signature in %s', (name, value) => {
    expect(verifyForgejo({ [name]: value }, BODY, [SECRET])).toEqual({ ok: true });
  });

  it('believes any of the secrets during a rotation', () => {
    for (const secrets of [
      [SECRET, OTHER],
      [OTHER, SECRET],
    ]) {
      expect(verifyForgejo({ 'x-forgejo-signature': GOOD }, BODY, secrets)).toEqual({ ok: true });
    }
  });

  it.each([
    ['no header', {}, 'signature_missing'],
    ['only the weak hash of GitHub', { 'x-hub-signature': `sha1=${GOOD}` }, 'signature_missing'],
    ['an empty header', { 'x-forgejo-signature': '' }, 'signature_missing'],
    ['an empty hub header', { 'x-hub-signature-256': 'sha256=' }, 'signature_missing'],
    ['a hub header without its prefix', { 'x-hub-signature-256': GOOD }, 'signature_malformed'],
    ['a prefix where none belongs', { 'x-forgejo-signature': `sha256=${GOOD}` }, 'signature_malformed'],
    ['upper case', { 'x-forgejo-signature': GOOD.toUpperCase() }, 'signature_malformed'],
    ['one character less', { 'x-forgejo-signature': GOOD.slice(1) }, 'signature_malformed'],
    ['one character more', { 'x-forgejo-signature': `${GOOD}0` }, 'signature_malformed'],
    ['white space around it', { 'x-forgejo-signature': ` ${GOOD}` }, 'signature_malformed'],
    ['two at once', { 'x-forgejo-signature': `${GOOD}, ${GOOD}` }, 'signature_malformed'],
    ['a foreign secret', { 'x-forgejo-signature': signForgejo(BODY, OTHER) }, 'signature_mismatch'],
    ['another body', { 'x-forgejo-signature': signForgejo(Buffer.from('{}'), SECRET) }, 'signature_mismatch'],
    ['zeros', { 'x-forgejo-signature': '0'.repeat(64) }, 'signature_mismatch'],
  ])('does not believe %s', (_name, headers, reason) => {
    expect(verifyForgejo(headers, BODY, [SECRET])).toEqual({ ok: false, reason });
  });

  it('lets the first header that is present decide', () => {
    const bad = signForgejo(BODY, OTHER);
    expect(verifyForgejo({ 'x-forgejo-signature': GOOD, 'x-gitea-signature': bad }, BODY, [SECRET])).toEqual({
      ok: true,
    });
    for (const first of [bad, '']) {
      const headers = {
        'x-forgejo-signature': first,
        'x-gitea-signature': GOOD,
        'x-hub-signature-256': `sha256=${GOOD}`,
      };
      expect(verifyForgejo(headers, BODY, [SECRET]).ok).toBe(false);
    }
    const hub = { 'x-gitea-signature': '', 'x-hub-signature-256': `sha256=${GOOD}` };
    expect(verifyForgejo(hub, BODY, [SECRET]).ok).toBe(false);
  });

  it('believes nothing without a secret, not even what an empty secret signed', () => {
    const headers = { 'x-forgejo-signature': signForgejo(BODY, '') };
    for (const secrets of [[], ['']]) {
      expect(verifyForgejo(headers, BODY, secrets)).toEqual({ ok: false, reason: 'no_secret_configured' });
    }
    expect(verifyForgejo(headers, BODY, ['', SECRET])).toEqual({ ok: false, reason: 'signature_mismatch' });
  });
});
