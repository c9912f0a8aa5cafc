import { expect, test } from 'vitest';
import { filePagesOf } from '../../../shared/vocabulary/file-pages.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';

const AT = { branch: 'release/1.0', path: '.fixpoint.toml' };

test.each([
  [
    'https://git.example/group/sub/shop/-/merge_requests/7',
    {
      view: 'https://git.example/group/sub/shop/-/blob/release/1.0/.fixpoint.toml',
      edit: 'https://git.example/group/sub/shop/-/edit/release/1.0/.fixpoint.toml',
      create: 'https://git.example/group/sub/shop/-/new/release/1.0',
    },
  ],
  [
    'https://git.example/forge/team/shop/pulls/7',
    {
      view: 'https://git.example/forge/team/shop/src/branch/release/1.0/.fixpoint.toml',
      edit: 'https://git.example/forge/team/shop/_edit/release/1.0/.fixpoint.toml',
      create: 'https://git.example/forge/team/shop/_new/release/1.0',
    },
  ],
  ['https://git.example/team/shop/changes/7', null],
  ['https://git.example/team/shop/pulls/7/files', null],
])('the pages of a file of the project of %s', (url, pages) => {
  expect(filePagesOf(url, AT)).toEqual(pages);
});

test('a branch cannot add a query or another address to them', () => {
  const pages = filePagesOf('https://git.example/team/shop/pulls/7', { ...AT, branch: 'a?b=1#c)(http://x' });
  expect(pages?.edit).toBe('https://git.example/team/shop/_edit/a%3Fb%3D1%23c)(http%3A//x/.fixpoint.toml');
});

test.each(['https://git.example/a/b/-/merge_requests/7', 'https://git.example/a/b/pulls/7'])(
  'they stay links when they are posted on %s',
  (url) => {
    const pages = filePagesOf(url, AT);
    const text = `Add it to [.fixpoint.toml](${pages?.edit}) of it, see [it](${pages?.view}), or [new](${pages?.create}).`;
    const options = { forgeBaseUrl: 'https://git.example', page: url, mayMention: [], maxLength: 5_000, secrets: [] };
    expect(sanitize(text, options).body).toBe(text);
  },
);
