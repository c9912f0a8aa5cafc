import { describe, expect, test } from 'vitest';
import type { CommitStatus, StatusLink } from '../../../../shared/forge/port-statuses.ts';
import { announcementUrl, hashInput } from '../../../../shared/rounds/memory/announcement-url.ts';
import { type StatusClaim, claimsIn, rivalOf } from '../../../../shared/rounds/memory/claims.ts';
import type { Announcement } from '../../../../shared/rounds/model/run.ts';
import * as make from '../builders.ts';

const PRESENT = make.at(make.sha('head'));

const announced = (seed: string, patch: Partial<Announcement> = {}): Announcement => ({
  run: make.runId(seed),
  review: 1,
  attempt: 1,
  runs: 1,
  superseded: 0,
  until: 2_000,
  ...hashInput(PRESENT),
  ...patch,
});

const claim = (announcement: Announcement, id: number, isOver = false): StatusClaim => ({ announcement, id, isOver });

const MINE = announced('mine');
const THEIRS = announced('theirs');
const LATER = announced('later', { runs: 2, attempt: 2 });
const RETRIED = announced('retried', { attempt: 2 });
const ELSEWHERE = announced('elsewhere', hashInput({ ...PRESENT, targetHead: make.sha('x'), base: make.sha('y') }));

describe('a run gives way', () => {
  test.each<[string, readonly StatusClaim[], Announcement | null]>([
    ['to nobody when it is alone', [claim(MINE, 1)], null],
    ['to nobody when the other was announced later', [claim(MINE, 1), claim(THEIRS, 2)], null],
    ['to the one that was announced before', [claim(MINE, 2), claim(THEIRS, 1)], THEIRS],
    [
      'to nobody when it was announced before and is announced again',
      [claim(MINE, 1), claim(THEIRS, 2), claim(MINE, 3)],
      null,
    ],
    ['to the other when its own status was refused', [claim(THEIRS, 1)], THEIRS],
    ['to a run with more runs before it, whoever was first', [claim(MINE, 1), claim(LATER, 2)], LATER],
    ['to a later attempt, whoever was first', [claim(MINE, 1), claim(RETRIED, 2)], RETRIED],
    [
      'to the first of all that come before it',
      [claim(announced('third'), 2), claim(THEIRS, 1), claim(MINE, 3)],
      THEIRS,
    ],
    ['to the latest of those that replace it', [claim(RETRIED, 2), claim(LATER, 3), claim(MINE, 1)], LATER],
    ['to no run that ended without a verdict', [claim(THEIRS, 1, true), claim(MINE, 2)], null],
    ['to no run for another input', [claim(ELSEWHERE, 1), claim(MINE, 2)], null],
  ])('%s', (_what, claims, expected) => {
    expect(rivalOf(MINE, claims, PRESENT)).toEqual(expected);
  });

  test.each<[string, Announcement]>([
    ['an earlier run', announced('before', { runs: 0 })],
    ['an earlier attempt', announced('before', { runs: 1, attempt: 0 })],
    ['an earlier run with more attempts', announced('before', { runs: 0, attempt: 5 })],
  ])('to nobody when %s is on the forge', (_what, before) => {
    expect(rivalOf(MINE, [claim(before, 1), claim(MINE, 2)], PRESENT)).toBeNull();
  });

  test('never to the one that gives way to it', () => {
    const all = [MINE, THEIRS, LATER, RETRIED].flatMap((announcement) => [1, 2].map((id) => ({ announcement, id })));
    for (const one of all)
      for (const other of all) {
        if (one.id === other.id || one.announcement === other.announcement) continue;
        const claims = [claim(one.announcement, one.id), claim(other.announcement, other.id)];
        const goOn = [one, other].filter(({ announcement }) => rivalOf(announcement, claims, PRESENT) === null);
        expect(goOn).toHaveLength(1);
      }
  });
});

describe('claims are read', () => {
  const at = { key: make.KEY, head: PRESENT.head };
  const wish = { context: 'fixpoint', at, secrets: [make.SECRET], botIds: new Set([make.BOT_ID]) };
  const link = (of: Announcement, id: number, patch: Partial<StatusLink> = {}): StatusLink => ({
    url: announcementUrl(of, { at, pageUrl: 'https://forge.example/1', secret: make.SECRET, maxLength: 2_000 }) ?? '',
    creatorId: make.BOT_ID,
    id,
    isOver: false,
    ...patch,
  });
  const status = (links: readonly StatusLink[], context = 'fixpoint'): CommitStatus => ({
    context,
    state: 'pending',
    description: '',
    createdAtMs: 0,
    links,
  });

  test('in the order of the forge, from every place', () => {
    const found = claimsIn([status([link(MINE, 7)]), status([link(THEIRS, 3, { isOver: true })])], wish);
    expect(found).toEqual([claim(THEIRS, 3, true), claim(MINE, 7)]);
  });

  test('from no other context, account or signature', () => {
    const others = [
      status([link(MINE, 1)], 'build'),
      status([link(MINE, 2, { creatorId: make.AUTHOR_ID })]),
      status([link(MINE, 3, { url: 'https://forge.example/1#fixpoint:1:AAAA.BBBBBBBBBBBBBBBBBBBBBB' })]),
    ];
    expect(claimsIn(others, wish)).toEqual([]);
  });
});
