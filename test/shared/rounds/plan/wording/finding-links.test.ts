import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findingLink,
  oneLineTitle,
  resolveFindingLinks,
} from '../../../../../shared/rounds/plan/wording/finding-links.ts';

const URLS = new Map([['F-001', 'http://forge.example/5#issuecomment-1']]);
const link = (title: string, id: 'F-001' | 'F-002'): string => findingLink(oneLineTitle(title), id);

describe('a link to the thread of a finding', () => {
  test.each([
    ['a known thread', link('It is lost', 'F-001'), '[It is lost](http://forge.example/5#issuecomment-1)'],
    ['an unknown thread', `| ${link('It is lost', 'F-002')} |`, '| It is lost |'],
    ['brackets', link('a[0] is lost', 'F-001'), '[a[0] is lost](http://forge.example/5#issuecomment-1)'],
    ['brackets that do not match', link('a] is [lost', 'F-002'), 'a) is (lost'],
    ['code', link('`a[0]` is lost', 'F-002'), '`a[0]` is lost'],
    ['code that does not end', link('`a is lost', 'F-002'), "'a is lost"],
    ['several lines', link('a\nb', 'F-002'), 'a b'],
    ['a table', link('a | b', 'F-002'), 'a \\| b'],
    ['a table, escaped', link('a \\| b', 'F-002'), 'a \\| b'],
    ['a title with a link', link('Use [x](/y)', 'F-001'), '[Use [x] (/y)](http://forge.example/5#issuecomment-1)'],
    ['a title with a target', link('[x](#F-001)', 'F-002'), '[x] (#F-001)'],
    ['a title with a target in code', link('`[x](#F-001)`', 'F-002'), '`[x] (#F-001)`'],
    ['an escaped bracket', link('a \\[b]', 'F-001'), '[a [b]](http://forge.example/5#issuecomment-1)'],
    ['an escaped bracket in code', link('`\\[b\\]` a', 'F-002'), '`\\[b\\]` a'],
    ['a last backslash', link('C:\\', 'F-001'), '[C:](http://forge.example/5#issuecomment-1)'],
    ['no link', 'See F-001 (#F-001).', 'See F-001 (#F-001).'],
    ['a target without a begin', '](#F-001) [x', '](#F-001) [x'],
  ])('of %s is resolved', (_what, text, expected) => {
    expect(resolveFindingLinks(text, URLS)).toBe(expected);
  });

  test('leaves no target behind, whatever the title is', () => {
    fc.assert(
      fc.property(fc.string(), (title) => {
        const text = `| ${link(title, 'F-002')} _(no thread)_ |`;
        expect(resolveFindingLinks(text, new Map())).toBe(`| ${oneLineTitle(title)} _(no thread)_ |`);
      }),
    );
  });
});
