import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { consolePictures } from './console/console-pictures.ts';
import { PICTURE, picturesFor } from './pictures.ts';
import { TEXT_GROUPS, textsPage } from './texts-page.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const GUIDE = path.join(ROOT, 'deploy/guide');
const GOLDEN = path.join(ROOT, 'test/shared/rounds/plan/golden');

/** In bytes. */
const LARGEST = 250_000;

const ALL = [...picturesFor(PICTURE), ...consolePictures(path.dirname(PICTURE))];
const NAMES = ALL.map(({ file }) => path.basename(file)).toSorted();

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder).filter((file) => file.endsWith(ending));

describe('the pictures of the guide', () => {
  it.each(ALL.map(({ file, width = 760 }) => [file, width] as const))(
    'are PNGs below 250 kB: %s, %d wide',
    (file, width) => {
      const bytes = readFileSync(path.join(ROOT, file));
      expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
      expect(bytes.readUInt32BE(16)).toBe(width);
      expect(bytes.length).toBeLessThan(LARGEST);
    },
  );

  it('are all renewed by `npm run demo -- --screenshot`, and all shown', () => {
    const pages = [...filesIn(GUIDE, '.md').map((page) => path.join(GUIDE, page)), path.join(ROOT, 'README.md')];
    const shown = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/(?:(?:src|srcset)="|\]\()(?:[^")]*\/)?([\w-]+\.png)[")]/g)].map(
        ([, name]) => name,
      ),
    );
    expect(filesIn(GUIDE, '.png').toSorted()).toEqual(NAMES);
    expect([...new Set(shown)].map(String).toSorted()).toEqual(NAMES);
  });

  it('show every text once, in light and in dark', () => {
    const texts = TEXT_GROUPS.flatMap((group) => group.texts.map(([file]) => `${file}.md`));
    expect(texts.toSorted()).toEqual(filesIn(GOLDEN, '.md').toSorted());
    for (const { name } of TEXT_GROUPS)
      expect(ALL.filter(({ file }) => file.includes(`texts-${name}-`)).map(({ scheme }) => scheme)).toEqual([
        'light',
        'dark',
      ]);
  });

  it('are written beside the file that was asked for', () => {
    const files = picturesFor('/tmp/my-review.png').map(({ file }) => file);
    expect(files.slice(0, 8)).toEqual([
      '/tmp/my-review.png',
      '/tmp/my-review-summary.png',
      '/tmp/my-review-handoff.png',
      '/tmp/demo-light.png',
      '/tmp/demo-dark.png',
      '/tmp/demo-kill-light.png',
      '/tmp/demo-kill-dark.png',
      '/tmp/texts-summary-light.png',
    ]);
  });
});

describe('the page of texts', () => {
  const pages = new Map(TEXT_GROUPS.map((group) => [group.name, textsPage(group)]));

  it('shows a text as the forge renders it, with its caption', () => {
    expect(pages.get('threads')).toMatch(/<h2>A veto<\/h2>[^]*<strong>A person has to decide.<\/strong>/);
  });

  it('leaves no Markdown unrendered, and opens the sections of the summary', () => {
    for (const [name, html] of pages) {
      const text = html.replaceAll(/<(style|code)[^]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, '');
      expect([name, /\*\*|\]\(|^\||&lt;details/m.exec(text)]).toEqual([name, null]);
    }
    const closed = pages.get('summary')?.match(/<details>\s*<summary>.*?<\/summary>/g);
    expect(closed).toEqual([expect.stringContaining('<summary>Commands</summary>')]);
  });
});
