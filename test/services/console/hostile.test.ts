/** Texts of strangers on every page: titles, branches, findings, reasons, errors. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { html, outside, render, webAddress } from '../../../services/console/pages/html.ts';
import { createDecisions } from '../../../shared/store/decisions.ts';
import * as make from '../../shared/rounds/builders.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { at, type ConsoleStage, openConsole, store, threadView, TOKENS, viewOf } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
  stage = await openConsole({ redisUrl: redis.url });
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '</title><svg/onload=alert(1)>',
  '</pre></details><iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '<!--><script>alert(1)</script-->',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '${alert(1)}{{constructor.constructor("alert(1)")()}}',
  '\u2028<b>\u0000</b>',
];

/** The only elements and attributes that a page may contain, besides its text. */
const stripKnown = (body: string): string =>
  body.replaceAll(
    /<(?:!doctype html|\/?(?:html|head|meta|title|link|noscript|script|body|a|header|nav|ul|ol|li|main|section|h[1-3]|p|span|code|strong|time|form|input|button|label|div|dl|dt|dd|details|summary|pre|footer|table|thead|tbody|tr|th|td|caption|select|option))(?: [a-z-]+(?:="[^"<>]*")?)* ?\/?>/g,
    '',
  );

it.each(PAYLOADS)('%j stays text on every page', async (evil) => {
  await stage.source.redis.flushall();
  await store(stage.source, 7, {
    view: viewOf(7, {
      title: evil,
      author: evil,
      sourceBranch: evil,
      targetBranch: evil,
      webUrl: 'javascript:alert(1)',
      summaryUrl: 'data:text/html,<script>alert(1)</script>',
      waits: evil,
      threads: [
        threadView({ title: evil, path: evil, rule: evil, webUrl: ' javascript:alert(1)', state: evil.slice(0, 40) }),
      ],
      handoffs: [{ review: 1, reason: evil, atMs: 0 }],
    }),
    state: { quiet: { head: make.sha('head'), untilMs: 0 } },
    isWorking: true,
  });
  await createDecisions(stage.source.redis, stage.source.keys).append(at(7), [
    { atMs: 0, effect: evil, reason: evil, head: evil, events: [evil] },
  ]);
  for (const url of ['/', '/change-requests', '/change-requests/sim/4/7']) {
    const { statusCode, body } = await stage.app.inject({ url, headers: { authorization: `Bearer ${TOKENS.read}` } });
    expect(statusCode).toBe(200);
    expect(stripKnown(body).match(/[<>]/g)).toBeNull();
    expect(body).not.toMatch(/<script(?! src="\/assets\/live\.js" defer)/);
    expect(body).not.toMatch(/ on\w+="| (?:href|src|action)="(?:javascript|data)/);
  }
});

test('what looks like a credential is not shown, even if somebody stored it', async () => {
  const leaked = ['glpat', 'aB3dE6gH9jK2mN5pQ8sT'].join('-');
  const key = `${TOKENS.read.slice(0, 20)}${TOKENS.read.slice(20)}`;
  await store(stage.source, 9, { view: viewOf(9, { title: `Token ${leaked}`, waits: `because ${key}` }) });
  const { body } = await stage.app.inject({
    url: '/change-requests/sim/4/9',
    headers: { authorization: `Bearer ${TOKENS.read}` },
  });
  expect(body).toContain('Token [redacted]');
  expect(body).not.toContain(leaked);
  expect(body).not.toContain(key);
});

test('a template refuses an attribute without quotes', () => {
  const evil = 'x onclick=alert(1)';
  expect(() => html`<p class=${evil}></p>`).toThrow('without quotes');
  expect(render(html`<p class="${evil}">${[evil, html`<b>${'<'}</b>`, null, 3]}</p>`)).toBe(
    '<p class="x onclick=alert(1)">x onclick=alert(1)<b>&lt;</b>3</p>',
  );
});

test.each([
  ['javascript:alert(1)', null],
  [' java\nscript:alert(1)', null],
  ['data:text/html,x', null],
  ['vbscript:x', null],
  ['//evil.example', null],
  ['', null],
  [null, null],
  ['https://forge.example/"x', 'https://forge.example/%22x'],
])('%j as an address is %s', (url, address) => {
  expect(webAddress(url)).toBe(address);
  if (address === null) expect(outside(url, 'text')).toBe('text');
});
