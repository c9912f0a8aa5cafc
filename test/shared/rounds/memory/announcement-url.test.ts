import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  announcementUrl,
  hashInput,
  isAnnouncedFor,
  readAnnouncement,
} from '../../../../shared/rounds/memory/announcement-url.ts';
import type { Announcement } from '../../../../shared/rounds/model/run.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import * as make from '../builders.ts';

const HEAD = make.sha('head');
const AT = { key: make.KEY, head: HEAD };
const PAGE = 'https://gitlab.example.com/some-group/some-subgroup/a-project-with-a-name/-/merge_requests/12345';
const INPUT = inputOf(make.changeRequest({ head: HEAD }));

const announced = (patch: Partial<Announcement> = {}): Announcement => ({
  run: make.runId('run'),
  review: 1,
  attempt: 1,
  runs: 1,
  superseded: 0,
  until: 1_764_382_000,
  ...hashInput(INPUT),
  ...patch,
});

const urlOf = (announcement: Announcement, maxLength = 255): string => {
  const url = announcementUrl(announcement, { at: AT, pageUrl: PAGE, secret: make.SECRET, maxLength });
  if (url === null) throw new Error('it does not fit');
  return url;
};

describe('an announcement in a URL', () => {
  test('fits into the 255 characters of GitLab, is a link to the page, and is read back', () => {
    const url = urlOf(announced());
    expect(url.length).toBeLessThanOrEqual(255);
    expect(new URL(url).href.startsWith(`${PAGE}#`)).toBe(true);
    expect(readAnnouncement(url, AT, [make.SECRET])).toEqual(announced());
  });

  test('is read under any id of the forge, but for no other project or change request', () => {
    const url = urlOf(announced());
    const [, project, number] = make.KEY.split('.');
    const keys = [`another-id.${project}.${number}`, `another-id.${project}.99`, `another-id.99.${number}`];
    expect(keys.map((key) => readAnnouncement(url, { ...AT, key }, [make.SECRET]) !== null)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is read back whatever it says', () => {
    const count = fc.nat({ max: 1_000_000 });
    const extra = fc.constantFrom<Partial<Announcement>>(
      {},
      { full: true },
      { base: null },
      { replies: { note: 77, threads: ['F-001', 'F-012', 'F-123456'] } },
      { replies: { note: 0, threads: [] } },
    );
    fc.assert(
      fc.property(count, count, count, extra, (review, attempt, runs, more) => {
        const said = announced({ review, attempt, runs, ...more });
        expect(readAnnouncement(urlOf(said, 2_000), AT, [make.SECRET])).toEqual(said);
      }),
    );
  });

  test('is read with the old secret while secrets rotate', () => {
    expect(readAnnouncement(urlOf(announced()), AT, ['n'.repeat(40), make.SECRET])).toEqual(announced());
  });

  const url = urlOf(announced());
  test.each([
    ['another commit', url, { ...AT, head: make.sha('other') }, make.SECRET],
    ['another change request', url, { ...AT, key: 'main.1.6' }, make.SECRET],
    ['another secret', url, AT, 'n'.repeat(40)],
    ['a changed payload', url.replace(/:1:../, ':1:AA'), AT, make.SECRET],
    ['a short signature', url.slice(0, -1), AT, make.SECRET],
    ['no fragment', PAGE, AT, make.SECRET],
    ['something behind it', `${url}&x`, AT, make.SECRET],
    ['nothing', '', AT, make.SECRET],
  ])('counts for nothing with %s', (_what, text, at, secret) => {
    expect(readAnnouncement(text, at, [secret])).toBeNull();
  });

  test.each([
    ['too long', PAGE, 200],
    ['on a page that is none', 'javascript:alert(1)', 2_000],
    ['on a page with a fragment', `${PAGE}#note_1`, 2_000],
  ])('is refused %s', (_what, pageUrl, maxLength) => {
    expect(announcementUrl(announced(), { at: AT, pageUrl, secret: make.SECRET, maxLength })).toBeNull();
  });
});

describe('the input of an announcement', () => {
  const { tip, base } = hashInput(INPUT);
  const moved = { ...INPUT, targetHead: make.sha('newer target') };
  test.each([
    ['is the same', INPUT, { tip, base }, true],
    ['is the same with a newer target and an equal merge base', moved, { tip, base }, true],
    ['is another with another merge base', { ...moved, base: make.sha('newer base') }, { tip, base }, false],
    ['is another with another target branch', { ...INPUT, target: 'release' }, { tip, base }, false],
    ['is not known to be the same without a merge base', moved, { tip, base: null }, false],
    ['is the same without a merge base, at the same tip', { ...INPUT, base: null }, { tip, base: null }, true],
  ])('%s', (_what, present, given, expected) => {
    expect(isAnnouncedFor(given, present)).toBe(expected);
  });
});
