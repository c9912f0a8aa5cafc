import { spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DemoSight } from './forge.ts';
import { type ReviewSight, renderReviewPage } from './review-page.ts';
import { CHROMIUM_MISSING, findChromium } from './take-picture.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

const said = (author: string, file: string, body: string, resolved = false): DemoSight['inline'][number] => ({
  author,
  path: file,
  line: 2,
  side: 'new',
  body,
  resolved,
});

const DIFF = ['a.js', 'b.js']
  .map(
    (name) =>
      `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1,2 @@\n one\r\n+eval(x < 1) // ${name}\r\n`,
  )
  .join('');

const REVIEW: ReviewSight = {
  number: 7,
  title: 'Add <b>',
  branch: 'topic',
  diff: DIFF,
  sight: {
    head: '0123456789abcdef0123456789abcdef01234567',
    comments: [
      {
        author: 'fixpoint',
        body: '### Needs work\n\n| Finding |\n| --- |\n| F-001 `x` |\n\n<!-- fixpoint:v1 secret-word -->',
      },
      { author: 'fixpoint', body: 'later' },
    ],
    unpublished: [],
    inline: [
      said('fixpoint', 'a.js', '**F-001** first <!-- secret-word -->'),
      said('fixpoint', 'b.js', '**F-002** second'),
      said('author', 'b.js', 'Why?\n/close <script>'),
      said('fixpoint', 'c.js', 'a', true),
      said('fixpoint', 'c.js', 'b', true),
      said('fixpoint', 'c.js', 'c', true),
    ],
    headStatuses: { fixpoint: 'failure' },
    statusText: 'Round 1: needs work',
  },
};

describe('the page of a review', () => {
  const html = renderReviewPage(REVIEW);

  it('shows the change request and its summary as Markdown, without markers', () => {
    expect(html).toContain('<h1>Add &lt;b&gt; <span class="number">#7</span></h1>');
    expect(html).toContain('<h5>Needs work</h5>');
    expect(html).toContain('<td>F-001 <code>x</code></td>');
    expect(html).not.toMatch(/secret-word|later/);
  });

  it('shows the open thread with most in it, with its code and every reply', () => {
    expect(html).toContain('<b>b.js</b><span class="soft">line 2</span>');
    expect(html).toContain('<td class="text">+ eval(x &lt; 1) // b.js</td>');
    expect(html).toMatch(/<strong>F-002<\/strong> second[^]*<b>author<\/b>[^]*Why\?<br>\/close &lt;script&gt;/);
    expect(html).not.toMatch(/a\.js|c\.js|<script/);
  });

  it('ends with the status', () => {
    expect(html).toContain('<span class="badge failure">failure</span><b>fixpoint</b>');
    expect(html).toContain('Round 1: needs work');
  });

  it('is not made where the code of the thread is not there', () => {
    expect(() => renderReviewPage({ ...REVIEW, diff: '' })).toThrow('the diff does not hold b.js:2');
  });
});

describe('the picture', () => {
  it('is taken by the first Chromium on PATH', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-browser-'));
    expect(findChromium(folder)).toBeNull();
    writeFileSync(path.join(folder, 'google-chrome'), '', { mode: 0o755 });
    writeFileSync(path.join(folder, 'chromium'), '', { mode: 0o644 });
    expect(findChromium(`/nowhere:${folder}`)).toBe(path.join(folder, 'google-chrome'));
  });

  it('is refused in one sentence where there is none, before anything starts', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-browser-'));
    symlinkSync(process.execPath, path.join(folder, 'node'));
    const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsx, 'test/sim/demo/main.ts', '--screenshot'], {
      cwd: ROOT,
      env: { PATH: folder, HOME: folder },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(CHROMIUM_MISSING);
  });
});
