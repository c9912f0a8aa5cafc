/** A deterministic random generator, seeded with words. */
import { createHash } from 'node:crypto';

export type Random = {
  readonly below: (below: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
};

export const createRandom = (...seed: readonly (string | number)[]): Random => {
  const start = createHash('sha256').update(JSON.stringify(seed)).digest();
  let count = 0;
  const next = (): number => {
    count++;
    return createHash('sha256').update(start).update(String(count)).digest().readUInt32LE(0);
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
};
