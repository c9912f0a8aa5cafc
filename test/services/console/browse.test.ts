/** The pages in a real browser, where there is one: for everyone, on every screen, with and without scripts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../sim/demo/take-picture.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import {
  at,
  type ConsoleStage,
  openConsole,
  RUN_PAGE,
  store,
  storeLongTexts,
  storeScene,
  TOKENS,
  unusedLogin,
  viewOf,
} from './console-stage.ts';

const executablePath = findChromium(process.env['PATH'] ?? '');
const LIMIT = { timeout: 120_000 };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['now', '/'],
  ['change-requests', '/change-requests'],
  ['change-request', '/change-requests/sim/4/7'],
  ['projects', '/projects'],
  ['project', '/projects/sim/4'],
  ['paused project', '/projects/sim/5'],
  ['long texts', '/change-requests/sim/4/13'],
  ['run', RUN_PAGE],
  ['queues', '/queues'],
  ['cost', '/cost'],
  ['health', '/health'],
  ['actions', '/actions'],
  ['not-found', '/nothing'],
  ['unreadable', '/change-requests/find?ref=x'],
  ['said', '/projects/sim/5?done=paused'],
  ['dropped', '/queues?done=dropped'],
];

/** Pages for those who have not logged in. */
const OPEN_PAGES: readonly string[] = ['/login', '/login?next=/queues', '/login/forge/callback?state=x'];

/** The element with the focus, and its outline. */
const OUTLINE = `(() => {
  const style = getComputedStyle(document.activeElement);
  return [document.activeElement.tagName, style.outlineStyle + ' ' + style.outlineWidth];
})()`;

const SCREENS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['a wide screen, light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['a wide screen, dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['a phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
];

describe.skipIf(executablePath === null)("the operator's page in a browser (skipped without Chromium)", LIMIT, () => {
  let browser: Browser;
  let redis: TestRedis;
  let stage: ConsoleStage;
  let url = '';

  beforeAll(async () => {
    redis = await startRedis();
    stage = await openConsole({ redisUrl: redis.url, more: 'bull_board = true\n', login: unusedLogin });
    await storeScene(stage.source);
    await storeLongTexts(stage.source);
    url = await stage.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await chromium.launch({ executablePath: executablePath ?? '', timeout: LIMIT.timeout });
  }, LIMIT.timeout);

  afterAll(async () => {
    await browser?.close();
    await stage?.close();
    await redis?.stop();
  });

  type Visit = { readonly page: Page; readonly wrong: string[] };

  /** `wrong`: script errors, refusals of the policy, and requests to other servers. */
  const visit = async (options: BrowserContextOptions): Promise<Visit> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('pageerror', ({ message }) => void wrong.push(message));
    page.on('console', (said) => void (said.type() === 'error' && wrong.push(said.text())));
    page.on('request', (asked) => void (!asked.url().startsWith(url) && wrong.push(asked.url())));
    return { page, wrong };
  };

  const logIn = async (page: Page, token: string = TOKENS.read): Promise<void> => {
    await page.goto(`${url}/login`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${url}/`);
  };

  /** What axe finds, in words. The policy of the page would refuse the script of the test, so it is off here. */
  const violations = async (page: Page): Promise<readonly string[]> => {
    await page.addScriptTag({ content: AXE });
    const found = await page.evaluate('axe.run({ resultTypes: ["violations"] })');
    const { violations: all } = found as { violations: { id: string; nodes: { html: string }[] }[] }; // axe's result
    return all.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };

  const expectUsable = async (page: Page, name: string, path: string): Promise<void> => {
    await page.goto(`${url}${path}`);
    expect([name, await violations(page)]).toEqual([name, []]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect([name, overflow]).toEqual([name, 0]);
  };

  it.each(SCREENS)('is usable by everyone on %s', LIMIT, async (_name, options) => {
    const { page } = await visit({ ...options, bypassCSP: true });
    for (const path of OPEN_PAGES) await expectUsable(page, path, path);
    await logIn(page, TOKENS.write);
    for (const [name, path] of PAGES) await expectUsable(page, name, path);
    await page.context().close();
  });

  it('works without scripts, from the login to the logout', LIMIT, async () => {
    const { page } = await visit({ javaScriptEnabled: false });
    await page.goto(`${url}/change-requests/sim/4/7`);
    expect(page.url()).toContain('/login?next=');
    await page.getByLabel('Token').fill(TOKENS.read);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Charge the card only once' }).waitFor();
    await page.getByRole('link', { name: 'Now' }).click();
    expect(await page.locator('meta[http-equiv="refresh"]').count()).toBe(1);
    await page.getByRole('link', { name: 'Change requests' }).click();
    await page.getByLabel('Find one').fill('sim/4/8');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Split the parser' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.goto(`${url}/`);
    expect(page.url()).toContain('/login');
    await page.context().close();
  });

  it('lets somebody act without scripts, on a phone, and says what was done', LIMIT, async () => {
    const { page } = await visit({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await logIn(page, TOKENS.write);
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: /^sim\/4$/ }).click();
    await page.getByRole('button', { name: 'Pause this project' }).click();
    expect(await page.getByRole('status').textContent()).toBe('The project is paused.');
    await page.getByText('no review starts, and nothing is posted').waitFor();
    await page.getByRole('button', { name: 'Continue this project' }).click();
    expect(await page.getByRole('status').textContent()).toContain('The project continues.');
    await page.goto(`${url}/change-requests/sim/4/7`);
    await page.getByRole('button', { name: 'Grant a round' }).click();
    expect(await page.getByRole('status').count()).toBe(1);
    await page.getByRole('link', { name: 'Actions' }).click();
    for (const action of ['pause', 'continue', 'grant'])
      await page.getByText(action, { exact: false }).first().waitFor();
    await page.context().close();
  });

  it('shows where the keyboard is, on every control', LIMIT, async () => {
    const { page } = await visit({});
    await logIn(page, TOKENS.write);
    await page.goto(`${url}/projects/sim/5`);
    const seen = new Set<string>();
    for (let press = 0; press < 14; press += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate<[string, string]>(OUTLINE);
      if (name !== 'BODY') expect([name, outline]).toEqual([name, 'solid 3px']);
      seen.add(name);
    }
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['A', 'BUTTON']));
    await page.context().close();
  });

  it('shows every job in bull-board, within the policy of the page and from this server only', LIMIT, async () => {
    const { page, wrong } = await visit({});
    await logIn(page);
    const job = { jobId: 'wake-shown', delay: 3_600_000 };
    const note = '<img src=x onerror=alert(1)>';
    await stage.source.queues.queue('guard').add('guard', { v: 1, note }, job);
    await page.goto(`${url}/queues`);
    await page.getByRole('link', { name: 'Every job in bull-board' }).click();
    await page.getByText('explore').first().waitFor();
    await page.goto(`${url}/queues/bull-board/queue/guard?status=delayed`);
    await page.getByText('wake-shown').first().waitFor();
    await page.goto(`${url}/queues/bull-board/queue/guard/wake-shown`);
    await page.getByText(note).first().waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  it('shows what changes while it is open, within its own policy', LIMIT, async () => {
    const { page, wrong } = await visit({});
    await logIn(page);
    await store(stage.source, 12, {
      view: viewOf(12, { changeRequest: at(12), title: 'Just arrived <b>' }),
      state: { quiet: { head: viewOf(12).head, untilMs: 0 } },
      isWorking: true,
    });
    await page.getByText('Just arrived <b>').waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});
