/** The pictures of the operator's page in the guide: the real page, over a Redis that is filled for them. */
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { openConsole, TOKENS, unusedLogin } from '../../../services/console/console-stage.ts';
import type { PictureWish } from '../take-picture.ts';
import { fillConsole } from './fill-console.ts';

type Visit = Omit<PictureWish, 'browser' | 'width'> & {
  readonly width: number;
  /** What the browser opens. `of` is a change request with threads and runs. */
  readonly path: (of: string) => string;
  readonly token: keyof typeof TOKENS | null;
};

/** In CSS pixels. */
const WIDE = 1_000;
const PHONE = 390;

const SCHEMES = ['light', 'dark'] as const;

type Shot = Pick<Visit, 'path' | 'token'> & { readonly name: string; readonly height: number };

const SHOTS: readonly Shot[] = [
  { name: 'console', path: (of) => `/change-requests/${of}`, token: 'write', height: 860 },
  { name: 'console-projects', path: () => '/projects', token: 'read', height: 560 },
  { name: 'console-queues', path: () => '/queues', token: 'write', height: 860 },
  { name: 'console-cost', path: () => '/cost', token: 'read', height: 900 },
];

export const consolePictures = (folder: string): readonly Visit[] => [
  ...SHOTS.flatMap(({ name, ...shot }) =>
    SCHEMES.map((scheme) => ({ ...shot, scheme, width: WIDE, file: path.join(folder, `${name}-${scheme}.png`) })),
  ),
  {
    file: path.join(folder, 'console-phone.png'),
    scheme: 'light',
    width: PHONE,
    height: 844,
    path: () => '/',
    token: 'read',
  },
  {
    file: path.join(folder, 'console-login.png'),
    scheme: 'light',
    width: PHONE,
    height: 480,
    path: () => '/login',
    token: null,
  },
];

type Wish = {
  readonly redisUrl: string;
  readonly folder: string;
  /** Path of Chromium. */
  readonly browser: string;
  /** Default: all that the guide shows. */
  readonly visits?: readonly Visit[];
};

/** Returns the files. Contract: the Redis is for these pictures alone. */
export const takeConsolePictures = async (wish: Wish): Promise<readonly string[]> => {
  const { redisUrl, folder, browser: executablePath, visits = consolePictures(folder) } = wish;
  const stage = await openConsole({ redisUrl, login: unusedLogin });
  const browser = await chromium.launch({ executablePath, timeout: TIMEOUT_MS });
  try {
    const { forge, projectId, number } = await fillConsole(stage);
    const url = await stage.app.listen({ host: '127.0.0.1', port: 0 });
    for (const visit of visits) await take(browser, url, visit, `${forge}/${projectId}/${number}`);
  } finally {
    await browser.close();
    await stage.close();
  }
  return visits.map(({ file }) => file);
};

const TIMEOUT_MS = 30_000;

const take = async (browser: Browser, url: string, visit: Visit, of: string): Promise<void> => {
  const { scheme, width, height, token, file } = visit;
  const context = await browser.newContext({
    viewport: { width, height: height ?? 600 },
    colorScheme: scheme,
    javaScriptEnabled: false,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  // A session, because a request with a token has no forms.
  if (token !== null) {
    await page.goto(`${url}/login`);
    await page.getByLabel('Token').fill(TOKENS[token]);
    await page.getByRole('button', { name: 'Log in' }).click();
  }
  await page.goto(`${url}${visit.path(of)}`);
  await page.screenshot({ path: file, fullPage: height === undefined });
  await context.close();
};
