/** Takes a screenshot of a page with the installed Chromium, headless, without scripts or network. */
import { chromium } from 'playwright-core';
import { findProgram } from './find-program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Absolute path; null when there is none on PATH. */
export const findChromium = (searchPath: string): string | null => findProgram(NAMES, searchPath);

export const CHROMIUM_MISSING = '--screenshot needs Chromium on PATH; on Debian: apt-get install chromium';

/** CSS pixels. The pictures stay below 250 kB. */
export const PICTURE_WIDTH = 760;
const SCALE = 1;
const TIMEOUT_MS = 30_000;

export type PictureWish = {
  readonly file: string;
  readonly scheme: 'light' | 'dark';
  /** CSS pixels. Default: `PICTURE_WIDTH`. */
  readonly width?: number;
  /** CSS pixels. Default: the whole page. */
  readonly height?: number;
  /** Path of Chromium. */
  readonly browser: string;
};

export const takePicture = async (html: string, wish: PictureWish): Promise<void> => {
  const { file, scheme, width = PICTURE_WIDTH, height, browser: executablePath } = wish;
  const browser = await chromium.launch({ executablePath, timeout: TIMEOUT_MS });
  try {
    const page = await browser.newPage({
      viewport: { width, height: height ?? 600 },
      deviceScaleFactor: SCALE,
      colorScheme: scheme,
      javaScriptEnabled: false,
      offline: true,
    });
    await page.setContent(html, { timeout: TIMEOUT_MS });
    await page.screenshot({ path: file, fullPage: height === undefined, timeout: TIMEOUT_MS });
  } finally {
    await browser.close();
  }
};
