import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { createLogger } from '../../shared/logger.ts';
import type { Logger } from '../../shared/logger.ts';
import { createValueScrubber } from '../../shared/scrub.ts';

const SECRET = ['very', 'hidden', '"value"', '\\end'].join('/');

function capture(level: 'debug' | 'info' = 'info'): {
  log: Logger;
  lines: () => Record<string, unknown>[];
  raw: string[];
} {
  const raw: string[] = [];
  const log = createLogger({ service: 'guard', level, to: { write: (line) => raw.push(line) }, secrets: [SECRET] });
  return { log, raw, lines: () => raw.map((line) => JSON.parse(line)) };
}

test('a line is JSON with the level as a word, the time, the service, the bindings and the fields', () => {
  const { log, lines } = capture();
  const headSha = 'a'.repeat(40);
  log
    .child({ queue: 'guard', jobId: 'j1', forge: 'home', project: 1, changeRequest: 7, review: 2, headSha })
    .info({ command: 'review', inputTokens: 12 }, 'decided');
  expect(lines()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'guard',
      queue: 'guard',
      jobId: 'j1',
      forge: 'home',
      project: 1,
      changeRequest: 7,
      review: 2,
      headSha,
      command: 'review',
      inputTokens: 12,
      msg: 'decided',
    },
  ]);
});

test('fields named like secrets are blacked out at every depth, and bulky ones left out', () => {
  const { log, lines } = capture();
  log.info(
    {
      token: 'a',
      headers: { 'X-Gitlab-Token': 'b', 'x-forgejo-signature': 'c', authorization: 'd', accept: 'json' },
      list: [{ 'PRIVATE-TOKEN': 'e', password: { nested: 'f' } }],
      body: 'g',
      rawBody: 'h',
      redis: { url_secret: 'i' },
    },
    'request',
  );
  expect(lines()[0]).toMatchObject({
    token: '[redacted]',
    headers: {
      'X-Gitlab-Token': '[redacted]',
      'x-forgejo-signature': '[redacted]',
      authorization: '[redacted]',
      accept: 'json',
    },
    list: [{ 'PRIVATE-TOKEN': '[redacted]', password: '[redacted]' }],
    body: '[omitted]',
    rawBody: '[omitted]',
    redis: { url_secret: '[redacted]' },
  });
});

test.each(['token', 'secret', 'password', 'passwd', 'signature', 'authorization', 'cookie', 'api_key', 'credential'])(
  'a field whose name ends in %s is blacked out, also in the plural of credential',
  (name) => {
    const { log, lines } = capture();
    const fields = { [name]: 'a', [`X-Own-${name}`]: 'b', [`${name}Name`]: 'c', credentials: 'd' };
    log.info(fields, 'request');
    const hidden = '[redacted]';
    expect(lines()[0]).toMatchObject({
      [name]: hidden,
      [`X-Own-${name}`]: hidden,
      [`${name}Name`]: 'c',
      credentials: hidden,
    });
  },
);

test('a loaded secret reaches the output in no field, message, error, cause or stack', () => {
  const { log, raw, lines } = capture();
  const cause = new Error(`connect to https://bot:${encodeURIComponent(SECRET)}@git.example.com failed`);
  const err = new AppError({
    code: 'forge_request',
    message: `refused: ${SECRET}`,
    disposition: { kind: 'retry' },
    cause,
    fields: { address: SECRET },
  });
  Object.assign(cause, { config: { headers: { 'X-Custom': SECRET } } });
  log.error({ err, note: `x${SECRET}y`, deep: { list: [SECRET] } }, `failed with ${SECRET}`);
  log.child({ note: SECRET }).warn(new Error(SECRET));
  const text = raw.join('');
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  expect(text).not.toContain(encodeURIComponent(SECRET));
  expect(lines()[0]).toMatchObject({
    note: 'x[redacted]y',
    msg: 'failed with [redacted]',
    err: {
      type: 'AppError',
      code: 'forge_request',
      disposition: 'retry',
      fields: { address: '[redacted]' },
      cause: { type: 'Error', message: 'connect to https://bot:[redacted]@git.example.com failed' },
    },
  });
});

test('lines below the level are not written', () => {
  const { log, raw } = capture('info');
  log.debug('x');
  expect(raw).toEqual([]);
});

test('circular fields end in an omission instead of an endless walk', () => {
  const { log, lines } = capture();
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  log.info({ loop }, 'x');
  expect(JSON.stringify(lines()[0])).toContain('[omitted]');
});

test('of a secret that begins with another one, nothing is left standing', () => {
  const short = ['one', 'two'].join('-');
  expect(createValueScrubber([short, `${short}-three`])(`<${short}-three>`)).toBe('<[redacted]>');
});

test('values too short to be told from words are left alone', () => {
  expect(createValueScrubber(['', 'abc', 'abcde'])('abcdef')).toBe('abcdef');
});

test('no text contains a secret after scrubbing, and text without secrets stays as it is', () => {
  const secret = fc.string({ minLength: 6, maxLength: 30 }).filter((text) => !'[redacted]'.includes(text));
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(fc.string()), (secrets, parts) => {
      const scrub = createValueScrubber(secrets);
      const text = parts.join(' ');
      const holdsOne = secrets.some((one) => text.includes(one) || text.includes(encodeURIComponent(one)));
      expect(holdsOne || scrub(text) === text).toBe(true);
      for (const one of secrets) expect(scrub(` ${one} `)).not.toContain(` ${one} `);
    }),
    { seed: 11, numRuns: process.env['FIXPOINT_DEEP'] === '1' ? 2000 : 100 },
  );
});
