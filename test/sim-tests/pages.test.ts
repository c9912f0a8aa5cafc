import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../sim/forgejo/markdown.ts';
import { findQuickActions } from '../sim/forgejo/quick-actions.ts';
import { cutAround } from '../sim/forgejo/diff-hunk.ts';
import { repo, useScene } from './support.ts';

const at = { repo, number: 1 };
const runs = process.env['FIXPOINT_DEEP'] === '1' ? 20_000 : 300;

describe('the page of a change request', () => {
  const scene = useScene('once');
  const get = async (path: string) => {
    const answer = await fetch(`${scene().sim.url}${path}`);
    return { status: answer.status, html: await answer.text() };
  };

  it('shows everything that was said where it was said, and no hidden marker', async () => {
    const { sim } = scene();
    const comments = [{ path: 'a.txt', line: 4, body: 'shouts **here** <!-- marker 1 -->' }];
    await sim.review({ ...at, as: 'fixpoint', event: 'REQUEST_CHANGES', body: 'Please\n<!-- marker 2 -->', comments });
    await sim.review({ ...at, as: 'fixpoint', event: '', body: 'unfinished business' });
    sim.comment({ ...at, as: 'author', body: 'an answer <script>alert(1)</script>' });
    await sim.setStatus({ repo, sha: sim.pullAt(at).headSha, context: 'fixpoint', state: 'failure', as: 'fixpoint' });
    const { status, html } = await get('/acme/shop/pulls/1');
    expect(status).toBe(200);
    expect(html).toContain('shouts <strong>here</strong>');
    expect(html).toContain(
      '<tr class="add here"><td class="no"></td><td class="no">4</td><td class="text">+ THREE</td></tr>',
    );
    expect(html).toContain('<span class="badge failure">failure</span><b>fixpoint</b>');
    expect(html).toContain('requested changes');
    expect(html).toContain('an answer &lt;script&gt;');
    expect(html).not.toMatch(/marker|unfinished business|<script/);
  });

  it('is found from the front page', async () => {
    expect((await get('/')).html).toContain(`href="${scene().sim.url}/acme/shop/pulls/1"`);
    expect((await get('/acme/shop')).html).toContain('Change a');
  });

  it.each(['/acme/shop/pulls/99', '/acme/none/pulls/1', '/favicon.ico'])('answers 404 for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('the Markdown of the page', () => {
  it.each([
    ['**a** *b* _c_ ~~d~~ `**e**`', '<p><strong>a</strong> <em>b</em> <em>c</em> <del>d</del> <code>**e**</code></p>'],
    ['\\*a\\* \\/merge snake_case_name', '<p>*a* /merge snake_case_name</p>'],
    [
      '[**a** `b`](http://x.example/c) _[d](http://x.example/e)_',
      '<p><a href="http://x.example/c" rel="nofollow noopener"><strong>a</strong> <code>b</code></a> <em><a href="http://x.example/e" rel="nofollow noopener">d</a></em></p>',
    ],
    ['# T', '<h3>T</h3>'],
    ['- a\n- b\n  - c', '<ul><li>a</li><li>b\n<ul><li>c</li></ul></li></ul>'],
    ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
    ['> a\n> b', '<blockquote><p>a<br>b</p></blockquote>'],
    [
      '| a | b |\n|---|---|\n| 1 | `x` |',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr></tbody></table>',
    ],
    [
      '```suggestion\n<b>\n```',
      '<figure class="code"><figcaption>suggestion</figcaption><pre><code>&lt;b&gt;</code></pre></figure>',
    ],
    ['````\n```\n````', '<figure class="code"><pre><code>```</code></pre></figure>'],
    [
      '[x](https://e.org/a) [y](javascript:z)',
      '<p><a href="https://e.org/a" rel="nofollow noopener">x</a> [y](javascript:z)</p>',
    ],
    [
      '<details><summary>more</summary>\n\ntext\n\n</details>',
      '<details><summary>more</summary>\n<p>text</p>\n</details>',
    ],
    ['a <!-- hidden --> b', '<p>a  b</p>'],
  ])('%j', (text, html) => {
    expect(renderMarkdown(text)).toBe(html);
  });

  it('lets no tag through that it did not write itself, whatever the text', () => {
    const own =
      /<\/?(?:p|strong|em|del|code|h[3-6]|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|pre|summary|figcaption|details)>|<(?:br|hr)>|<\/?figure(?: class="code")?>|<details open>|<a href="https?:\/\/[^"<>\s]*" rel="nofollow noopener">|<\/a>/g;
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      '`',
      '``',
      '```',
      '*',
      '_',
      '[x](https://e.org/',
      ')',
      '\\',
      '\n',
      '- ',
      '> ',
      '|',
      '|-|',
      '<script>',
      '<img src=x onerror=y>',
      '<details>',
      '<summary>',
      '</summary>',
      '\uE0000\uE001',
      'https://a.b/',
      '<!--',
      '-->',
      ' ',
      'a',
      '&',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(renderMarkdown(pieces.join('')).replaceAll(own, '')).not.toMatch(/[<>]/);
      }),
      { seed: 7, numRuns: runs },
    );
  });
});

describe('the excerpt of a diff (Forgejo modules/git/diff.go CutDiffAroundLine)', () => {
  const diff =
    'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@ f()\n one\n two\n-three\n+THREE\n four\n five\n\\ No newline at end of file\n';

  it.each([
    ['an added line', 3, '@@ -1,5 +1,5 @@ f()\n one\n two\n-three\n+THREE'],
    ['a removed line', -3, '@@ -1,5 +1,5 @@ f()\n one\n two\n-three'],
    ['a context line by its new number', 5, '@@ -3,3 +3,3 @@\n-three\n+THREE\n four\n five'],
    ['the first line', 1, '@@ -1,5 +1,5 @@ f()\n one'],
    ['a line outside', 9, ''],
  ])('ends at %s', (_, line, hunk) => {
    expect(cutAround(diff, line)).toBe(hunk);
  });
});

describe('the quick action rule, a superset of GitLab’s (lib/gitlab/quick_actions/extractor.rb, forges.md 3.5)', () => {
  it.each([
    '/merge',
    '/Approve @x',
    '  /close',
    '> /close',
    '- /label ~a',
    '```\n/merge\n```',
    'a\r/merge',
    'a\u2028/merge',
    '\u200b/merge',
    '\ufeff/merge',
    '1. /merge',
    '| /merge |',
    '/merge\u00a0now',
  ])('records %j', (body) => {
    expect(findQuickActions(body).length).toBe(1);
  });

  it.each(['\\/merge', 'see /merge', '/etc/passwd', '/merges', '/merge-it', '&#47;merge', 'src/merge'])(
    'leaves %j alone',
    (body) => {
      expect(findQuickActions(body)).toEqual([]);
    },
  );
});
