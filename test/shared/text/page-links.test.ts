/** Links to comments on the page that a text is posted on. */
import { describe, expect, test } from 'vitest';
import { sanitize } from '../../../shared/text/sanitize.ts';

const FORGE = 'http://forge.example';
const PAGE = `${FORGE}/shop/web/-/merge_requests/5`;
const clean = (text: string, page?: string): string =>
  sanitize(text, { forgeBaseUrl: FORGE, page, mayMention: [], maxLength: 10_000, secrets: [] }).body;

describe('a link to a comment on the same page', () => {
  test.each([`See [it](${PAGE}#note_12)`, `| [it](${PAGE}#note_12) | b |\n| --- | --- |`, `${PAGE}#discussion_r12`])(
    'stays as it is: %s',
    (text) => {
      expect(clean(text, PAGE)).toBe(text);
      expect(clean(clean(text, PAGE), PAGE)).toBe(text);
    },
  );

  test.each([
    [`[it](${PAGE}#note_12)`, undefined],
    [`[it](${PAGE})`, PAGE],
    [`[it](${PAGE}0#note_12)`, PAGE],
    [`[it](${PAGE}/diffs#note_12)`, PAGE],
    [`[it](${PAGE}?a=b#note_12)`, PAGE],
    [`[it](${PAGE}#note_12/close)`, PAGE],
    [`[it](http://other.example/5#note_12)`, PAGE],
    ['[it](http://forge.example/x?token=1#note_1)', 'http://forge.example/x?token=1'],
  ])('is broken elsewhere: %s on %s', (text, page) => {
    expect(clean(text, page)).not.toBe(text);
  });
});
