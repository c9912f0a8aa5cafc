import { expect, test } from 'vitest';
import { projectPathOf } from '../../../shared/notify/project-path.ts';

test.each([
  ['https://forge.example/owner/name/pulls/7', 'https://forge.example', 'owner/name'],
  ['https://forge.example/owner/pulls/pulls/7', 'https://forge.example/', 'owner/pulls'],
  ['https://forge.example/group/sub/name/-/merge_requests/7', 'https://forge.example', 'group/sub/name'],
  ['https://example.com/git/owner/name/pulls/7', 'https://example.com/git/', 'owner/name'],
  ['https://public.example/owner/name/pulls/7', 'http://forge:3000/inner', 'owner/name'],
  ['https://forge.example/owner/na%C3%AFve/pulls/7', 'https://forge.example', 'owner/naïve'],
  ['https://forge.example/owner/%zz/pulls/7', 'https://forge.example', 'owner/%zz'],
  ['https://forge.example/owner/name', 'https://forge.example', null],
  ['https://forge.example/pulls/7', 'https://forge.example', null],
  ['', 'https://forge.example', null],
])('%s on %s is a page of the project %s', (webUrl, forgeUrl, path) => {
  expect(projectPathOf(webUrl, forgeUrl)).toBe(path);
});
