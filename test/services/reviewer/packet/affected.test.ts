import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { affectedPlaces } from '../../../../services/reviewer/packet/affected.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { createReviewWorld, type Files, numbered, request, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

/** The first round saw `first` on top of `base`, this one sees `then` on top of that. */
const affected = async (base: Files, first: Files, then: Files): Promise<readonly string[]> => {
  const target = world.commit(base);
  const before = world.commit(first);
  const head = world.commit(then);
  const previous = {
    head: before,
    base: target,
    fingerprint: 'f'.repeat(64),

    verdict: 'feedback' as const,
  };
  const { delta } = await buildPacket(request(target, head, { previous }), world.source());
  if (delta === null) throw new Error('no delta');
  return affectedPlaces(delta);
};

const CALLER = textOf('import { total } from "./cart.ts";', 'const all = total(2) + total(3);', 'const totals = 1;');
const cart = (body: string): string => textOf(`export function total(count) { return ${body}; }`);

describe('places that a push may have broken', () => {
  test('are the uses in hunks that stand as they were reviewed, one per line and name', async () => {
    const places = await affected({}, { 'cart.ts': cart('count'), 'use.ts': CALLER }, { 'cart.ts': cart('count * 2') });
    expect(places).toEqual(['use.ts:1 total', 'use.ts:2 total']);
  });

  test('are counted where the line stands now', async () => {
    const old = textOf(...numbered(20));
    const first = textOf(...numbered(20), 'total(1);');
    const places = await affected(
      { 'use.ts': old },
      { 'use.ts': first, 'cart.ts': cart('count') },
      { 'use.ts': textOf('// a comment', ...numbered(20), 'total(1);'), 'cart.ts': cart('0') },
    );
    expect(places).toEqual(['use.ts:22 total']);
  });

  const named = (name: string): string => textOf('keep();', `function ${name}() {}`, 'keep();');
  test.each<[string, Files, Files]>([
    ['with its file', { 'a.ts': named('total') }, { 'a.ts': null }],
    ['with its lines', { 'a.ts': named('total') }, { 'a.ts': 'export const sum = 1;\n' }],
    ['by another name for it', { 'a.ts': named('total') }, { 'a.ts': named('sum') }],
  ])('are also those of a name that the push took away %s', async (_how, first, then) => {
    expect(await affected({}, { ...first, 'use.ts': CALLER }, then)).toEqual(['use.ts:1 total', 'use.ts:2 total']);
  });

  test.each([
    ['nothing was defined in what changed', 'total(1);\n', 'total(2);\n'],
    ['the name is part of a longer one only', textOf('const tot = 1;'), textOf('const tot = 2;')],
  ])('are none when %s', async (_name, first, then) => {
    expect(await affected({}, { 'a.ts': first, 'use.ts': CALLER }, { 'a.ts': then })).toEqual([]);
  });

  test('are found behind the words of several languages, in names of several scripts', async () => {
    const define = (value: number) =>
      textOf(
        `def größe(): return ${value}`,
        `func Open() { ${value} }`,
        `struct Point { x: ${value} }`,
        `macro_rules! vec_of { ${value} }`,
      );
    const use = textOf('größe()', 'Open()', 'Point', 'vec_of', 'def_nothing');
    expect(await affected({}, { 'a.py': define(1), 'use.py': use }, { 'a.py': define(2) })).toEqual([
      'use.py:1 größe',
      'use.py:2 Open',
      'use.py:3 Point',
      'use.py:4 vec_of',
    ]);
  });

  test('are at most a hundred', async () => {
    const uses = textOf(...Array.from({ length: 150 }, () => 'total();'));
    const places = await affected({}, { 'cart.ts': cart('1'), 'use.ts': uses }, { 'cart.ts': cart('2') });
    expect(places).toHaveLength(100);
    expect(places.at(-1)).toBe('use.ts:100 total');
  });
});
