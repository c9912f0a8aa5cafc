/** Takes a screenshot of a page with the installed Chromium, headless, without scripts or network. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Absolute path; null when there is none on PATH. */
export const findChromium = (searchPath: string): string | null => {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable) ?? null;
};

export const CHROMIUM_MISSING = '--screenshot needs Chromium on PATH; on Debian: apt-get install chromium';

/** CSS pixels. The pictures stay below 250 kB. */
const WIDTH = 760;
const SCALE = 1;
const TIMEOUT_MS = 30_000;

type Wish = {
  readonly file: string;
  readonly scheme: 'light' | 'dark';
  /** Path of Chromium. */
  readonly browser: string;
};

export const takePicture = async (html: string, { file, scheme, browser: executablePath }: Wish): Promise<void> => {
  const browser = await chromium.launch({ executablePath, timeout: TIMEOUT_MS });
  try {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: 600 },
      deviceScaleFactor: SCALE,
      colorScheme: scheme,
      javaScriptEnabled: false,
      offline: true,
    });
    await page.setContent(html, { timeout: TIMEOUT_MS });
    await page.screenshot({ path: file, fullPage: true, timeout: TIMEOUT_MS });
  } finally {
    await browser.close();
  }
};
