import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type KeptMirror,
  planEviction,
  planRoom,
  totalBytes,
} from '../../../../shared/workspace/mirror/plan-eviction.ts';

const NOW = 1_000_000;
const LIMITS = { nowMs: NOW, maxBytes: 100, unusedMs: 1000 };

const mirror = (base: string, bytes: number, more: Partial<KeptMirror> = {}): KeptMirror => ({
  base,
  bytes,
  usedAtMs: NOW,
  inUse: false,
  ...more,
});

const told = (plan: ReturnType<typeof planEviction>): readonly string[] =>
  plan.map(({ mirror: { base }, reason }) => `${base} ${reason}`);

describe('planEviction', () => {
  it.each<[what: string, mirrors: readonly KeptMirror[], evicted: readonly string[]]>([
    ['nothing below the cap', [mirror('a', 50), mirror('b', 50)], []],
    ['the least recently used beyond the cap', [mirror('a', 60), mirror('b', 60, { usedAtMs: NOW - 1 })], ['b cap']],
    ['what was not used for long', [mirror('a', 1, { usedAtMs: NOW - 1000 })], ['a unused']],
    ['not what is in use', [mirror('a', 60), mirror('b', 60, { usedAtMs: 0, inUse: true })], ['a cap']],
    ['a mirror larger than the cap, and no other for it', [mirror('a', 101), mirror('b', 100)], ['a oversized']],
    [
      'nothing for a mirror in use that is larger than the cap',
      [mirror('a', 101, { inUse: true }), mirror('b', 90)],
      [],
    ],
    [
      'nothing without bytes to stay below the cap',
      [mirror('a', 0, { usedAtMs: NOW - 9 }), mirror('b', 101, { inUse: true })],
      [],
    ],
  ])('removes %s', (_, mirrors, evicted) => {
    expect(told(planEviction(mirrors, LIMITS))).toEqual(evicted);
  });
});

const anyMirrors = fc
  .array(
    fc.record({
      bytes: fc.nat({ max: 150 }),
      usedAtMs: fc.integer({ min: NOW - 2000, max: NOW + 10 }),
      inUse: fc.boolean(),
    }),
    { maxLength: 20 },
  )
  .map((mirrors): readonly KeptMirror[] => mirrors.map((each, index) => ({ base: `m${index}`, ...each })));

describe('every plan', () => {
  it('keeps what is in use, names nothing twice, and ends at or below the cap if that is possible', () => {
    fc.assert(
      fc.property(anyMirrors, (mirrors) => {
        const plan = planEviction(mirrors, LIMITS);
        const gone = plan.map((each) => each.mirror);
        expect(gone.filter(({ inUse }) => inUse)).toEqual([]);
        expect(new Set(gone).size).toBe(gone.length);
        const left = mirrors.filter((each) => !gone.includes(each));
        const [busy, free] = [left.filter(({ inUse }) => inUse), left.filter(({ inUse }) => !inUse)];
        expect(free.every(({ bytes, usedAtMs }) => bytes <= LIMITS.maxBytes && NOW - usedAtMs < LIMITS.unusedMs)).toBe(
          true,
        );
        const counted = totalBytes(free) + totalBytes(busy.filter(({ bytes }) => bytes <= LIMITS.maxBytes));
        expect(counted <= LIMITS.maxBytes || totalBytes(free) === 0).toBe(true);
      }),
    );
  });

  it('removes for the cap only as much as it needs, and only what was used less recently than what stays', () => {
    fc.assert(
      fc.property(anyMirrors, (mirrors) => {
        const forCap = planEviction(mirrors, LIMITS)
          .filter(({ reason }) => reason === 'cap')
          .map((each) => each.mirror);
        const last = forCap.at(-1);
        if (last === undefined) return;
        const all = planEviction(mirrors, LIMITS).map((each) => each.mirror);
        const left = mirrors.filter((each) => !all.includes(each) && each.bytes <= LIMITS.maxBytes);
        expect(totalBytes(left) + last.bytes).toBeGreaterThan(LIMITS.maxBytes);
        const stays = left.filter(({ inUse, bytes }) => !inUse && bytes > 0);
        for (const one of stays) expect(one.usedAtMs).toBeGreaterThanOrEqual(last.usedAtMs);
      }),
    );
  });

  it('is empty after it was carried out', () => {
    fc.assert(
      fc.property(anyMirrors, (mirrors) => {
        const gone = new Set(planEviction(mirrors, LIMITS).map((each) => each.mirror));
        expect(
          planEviction(
            mirrors.filter((each) => !gone.has(each)),
            LIMITS,
          ),
        ).toEqual([]);
      }),
    );
  });
});

describe('planRoom', () => {
  it('removes at least half of what may be removed, the least recently used first', () => {
    const mirrors = [
      mirror('new', 10),
      mirror('old', 30, { usedAtMs: 1 }),
      mirror('busy', 500, { usedAtMs: 0, inUse: true }),
      mirror('middle', 40, { usedAtMs: 2 }),
    ];
    expect(told(planRoom(mirrors))).toEqual(['old disk_full', 'middle disk_full']);
    expect(planRoom([mirror('busy', 500, { inUse: true }), mirror('empty', 0)])).toEqual([]);
  });

  it('frees half with as few mirrors as the order allows', () => {
    fc.assert(
      fc.property(anyMirrors, (mirrors) => {
        const removable = totalBytes(mirrors.filter(({ inUse }) => !inUse));
        const gone = planRoom(mirrors).map((each) => each.mirror);
        expect(gone.filter(({ inUse }) => inUse)).toEqual([]);
        expect(totalBytes(gone) * 2).toBeGreaterThanOrEqual(removable);
        expect(totalBytes(gone.slice(0, -1)) * 2 < removable || gone.length === 0).toBe(true);
      }),
    );
  });
});
