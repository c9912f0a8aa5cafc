import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DeliveryHeaders } from '../../../shared/webhooks/headers.ts';
import type { Verification } from '../../../shared/webhooks/verification.ts';
import {
  type GitlabSecrets,
  parseSigningToken,
  signGitlab,
  verifyGitlab,
} from '../../../shared/forge/gitlab/webhooks/verify-gitlab.ts';

const BODY = Buffer.from('{"object_kind":"merge_request"}');
const TOKEN = ['plain', 'token', 'of', 'the', 'hook'].join('-');
const KEY = Buffer.alloc(32, 7);
const OTHER_KEY = Buffer.alloc(32, 8);
const signingToken = (key: Buffer): string => ['whsec', key.toString('base64')].join('_');
const NOW_MS = Date.UTC(2026, 4, 1, 10, 0, 0);
const NOW_S = `${NOW_MS / 1000}`;
const ID = 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f';

const GOOD = signGitlab({ id: ID, timestampSeconds: NOW_S, rawBody: BODY }, KEY);
const FOREIGN = signGitlab({ id: ID, timestampSeconds: NOW_S, rawBody: BODY }, OTHER_KEY);

const signed = (fields: DeliveryHeaders = {}): DeliveryHeaders => ({
  'webhook-id': ID,
  'webhook-timestamp': NOW_S,
  'webhook-signature': GOOD,
  ...fields,
});

const PLAIN: GitlabSecrets = { tokens: [TOKEN], signingTokens: [] };
const SIGNING: GitlabSecrets = { tokens: [], signingTokens: [signingToken(KEY)] };
const BOTH: GitlabSecrets = { tokens: [TOKEN], signingTokens: [signingToken(KEY)] };

const verify = (headers: DeliveryHeaders, secrets: GitlabSecrets, rawBody = BODY): Verification =>
  verifyGitlab({ headers, rawBody, secrets, nowMs: NOW_MS });

describe('verifyGitlab with a plain token', () => {
  it('believes the token, and any of several during a rotation', () => {
    expect(verify({ 'x-gitlab-token': TOKEN }, PLAIN)).toEqual({ ok: true });
    expect(verify({ 'x-gitlab-token': TOKEN }, { tokens: ['an older one', TOKEN], signingTokens: [] })).toEqual({
      ok: true,
    });
  });

  it('compares bytes, so that a token beyond ASCII works', () => {
    const token = 'schlüssel-für-fixpoint';
    const header = Buffer.from(token, 'utf8').toString('latin1');
    expect(verify({ 'x-gitlab-token': header }, { tokens: [token], signingTokens: [] })).toEqual({ ok: true });
  });

  it.each([
    ['no header', {}, 'token_missing'],
    ['an empty header', { 'x-gitlab-token': '' }, 'token_missing'],
    ['a wrong token', { 'x-gitlab-token': 'wrong' }, 'token_mismatch'],
    ['one character less', { 'x-gitlab-token': TOKEN.slice(1) }, 'token_mismatch'],
    ['one character more', { 'x-gitlab-token': `${TOKEN}x` }, 'token_mismatch'],
    ['another case', { 'x-gitlab-token': TOKEN.toUpperCase() }, 'token_mismatch'],
    [
      'the signature of Forgejo',
      { 'x-forgejo-signature': createHmac('sha256', TOKEN).update(BODY).digest('hex') },
      'token_missing',
    ],
  ])('does not believe %s', (_name, headers, reason) => {
    expect(verify(headers, PLAIN)).toEqual({ ok: false, reason });
  });

  it('believes nothing without a secret', () => {
    for (const tokens of [[], ['']]) {
      expect(verify({ 'x-gitlab-token': '' }, { tokens, signingTokens: [] })).toEqual({
        ok: false,
        reason: 'no_secret_configured',
      });
    }
  });
});

describe('verifyGitlab with a signing token', () => {
  it('signs as Standard Webhooks says', () => {
    const text = `${ID}.${NOW_S}.${BODY.toString()}`;
    expect(GOOD).toBe(`v1,${createHmac('sha256', KEY).update(text).digest('base64')}`);
  });

  it('believes the signature, one of several, and any key during a rotation', () => {
    expect(verify(signed(), SIGNING)).toEqual({ ok: true });
    expect(verify(signed({ 'webhook-signature': `v2,abc ${FOREIGN} ${GOOD}` }), SIGNING)).toEqual({ ok: true });
    const rotating = { tokens: [], signingTokens: [signingToken(OTHER_KEY), signingToken(KEY)] };
    expect(verify(signed(), rotating)).toEqual({ ok: true });
  });

  it.each([
    ['a foreign key', { 'webhook-signature': FOREIGN }, 'signature_mismatch'],
    ['one character less', { 'webhook-signature': GOOD.slice(0, -1) }, 'signature_mismatch'],
    ['one character more', { 'webhook-signature': `${GOOD}=` }, 'signature_mismatch'],
    [
      'another spelling of the same bytes',
      { 'webhook-signature': GOOD.replace(/.=$/, (end) => `${end === 'A=' ? 'B' : 'A'}=`) },
      'signature_mismatch',
    ],
    ['an unknown version', { 'webhook-signature': GOOD.replace('v1', 'v2') }, 'signature_malformed'],
    ['an empty signature', { 'webhook-signature': '' }, 'signature_malformed'],
    ['another id', { 'webhook-id': 'another' }, 'signature_mismatch'],
    ['no id', { 'webhook-id': undefined }, 'signature_malformed'],
    ['an id with a dot', { 'webhook-id': 'a.b' }, 'signature_malformed'],
    ['another time', { 'webhook-timestamp': `${Number(NOW_S) + 1}` }, 'signature_mismatch'],
    ['no time', { 'webhook-timestamp': undefined }, 'timestamp_malformed'],
    ['a time with a fraction', { 'webhook-timestamp': `${NOW_S}.5` }, 'timestamp_malformed'],
    ['a time before the epoch', { 'webhook-timestamp': '-1' }, 'timestamp_malformed'],
  ])('does not believe %s', (_name, fields, reason) => {
    expect(verify(signed(fields), SIGNING)).toEqual({ ok: false, reason });
  });

  it.each([
    [-301, { ok: false, reason: 'timestamp_outside_window' }],
    [-299, { ok: true }],
    [299, { ok: true }],
    [301, { ok: false, reason: 'timestamp_outside_window' }],
  ])('takes a timestamp %d s from now as %o', (offset, expected) => {
    const timestampSeconds = `${Number(NOW_S) + offset}`;
    const signature = signGitlab({ id: ID, timestampSeconds, rawBody: BODY }, KEY);
    const headers = signed({ 'webhook-timestamp': timestampSeconds, 'webhook-signature': signature });
    expect(verify(headers, SIGNING)).toEqual(expected);
  });

  it('does not fall back to the token when a signature is present', () => {
    for (const signature of [FOREIGN, '']) {
      expect(verify(signed({ 'webhook-signature': signature, 'x-gitlab-token': TOKEN }), BOTH).ok).toBe(false);
    }
  });

  it('falls back to the token without a signature only when a token is configured', () => {
    expect(verify({ 'x-gitlab-token': TOKEN }, BOTH)).toEqual({ ok: true });
    expect(verify({ 'x-gitlab-token': 'wrong' }, BOTH)).toEqual({ ok: false, reason: 'token_mismatch' });
    expect(verify({ 'x-gitlab-token': TOKEN }, SIGNING)).toEqual({ ok: false, reason: 'signature_missing' });
    expect(verify({ 'x-gitlab-token': '' }, { ...SIGNING, tokens: [''] })).toEqual({
      ok: false,
      reason: 'signature_missing',
    });
  });

  it('believes nothing signed with a token that is none', () => {
    const headers = signed({
      'webhook-signature': signGitlab({ id: ID, timestampSeconds: NOW_S, rawBody: BODY }, Buffer.alloc(0)),
    });
    for (const token of ['', 'whsec_', 'whsec_AAAA', KEY.toString('base64'), 'whsec_!']) {
      expect(parseSigningToken(token)).toBeNull();
      expect(verify(headers, { tokens: [], signingTokens: [token] }).ok).toBe(false);
    }
  });
});
