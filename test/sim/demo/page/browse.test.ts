/** The pages in a real browser, where there is one. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../take-picture.ts';
import { ended, EVIL, kill, state, step, thread } from './sample-state.ts';
import { type DemoServer, serveDemo } from './serve.ts';

const executablePath = findChromium(process.env['PATH'] ?? '');
const LIMIT = { timeout: 90_000 };

describe.skipIf(executablePath === null)('the page in a browser (skipped without Chromium)', LIMIT, () => {
  let browser: Browser;
  let server: DemoServer;
  let shown = state();

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', timeout: LIMIT.timeout });
    server = await serveDemo({
      state: () => shown,
      kill: () => {
        shown = state({ kill: kill() });
      },
    });
  }, LIMIT.timeout);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Fails on a script error, a refusal of the policy, and a request to any other server. */
  const visit = async (path: string, width = 1280): Promise<{ readonly page: Page; readonly wrong: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    const wrong: string[] = [];
    page.on('pageerror', ({ message }) => void wrong.push(message));
    page.on('console', (said) => void (said.type() === 'error' && wrong.push(said.text())));
    page.on(
      'request',
      (asked) =>
        void (!asked.url().startsWith(server.url) && !asked.url().startsWith('data:') && wrong.push(asked.url())),
    );
    await page.goto(new URL(path, server.url).href);
    return { page, wrong };
  };

  it('is stepped through with the keyboard alone', LIMIT, async () => {
    shown = state();
    const { page, wrong } = await visit('/');
    const at = async (): Promise<string | null> => page.locator('[aria-current]').textContent();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/step/2');
    expect(await at()).toContain('2 Second');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/kill');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/step/2');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('content');
    expect(wrong).toEqual([]);
    await page.close();
  });

  it('follows the story and the kill by itself', LIMIT, async () => {
    shown = state({ steps: [step()] });
    const { page, wrong } = await visit('/');
    shown = state();
    await page.locator('#tab-1').click();
    await page.locator('#tab-kill').click();
    await page.getByRole('button', { name: 'Kill the poster in mid-post' }).click();
    await expect.poll(async () => page.locator('table.counts .none').count()).toBe(6);
    shown = state({ kill: ended });
    await expect.poll(async () => page.locator('table.counts .once').count()).toBe(7);
    expect(await page.locator('#live').textContent()).toBe('Each text is on the forge exactly once');
    expect(wrong).toEqual([]);
    await page.close();
  });

  it.each([320, 390, 760, 1280])(
    'is never wider than a window of %d pixels, also with hostile texts',
    LIMIT,
    async (width) => {
      const long = `${'long/'.repeat(40)}file.js`;
      const wide = thread({ path: long, comments: [{ author: EVIL, body: `${EVIL} ${'x'.repeat(300)}` }] });
      shown = state({
        steps: [step({ threads: [wide], comments: [{ author: 'a', body: EVIL, change: 'new' }] }), step()],
        kill: ended,
      });
      for (const path of ['/', '/step/2', '/kill']) {
        const { page, wrong } = await visit(path, width);
        const beyond = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([path, beyond, wrong]).toEqual([path, 0, []]);
        await page.close();
      }
    },
  );
});
