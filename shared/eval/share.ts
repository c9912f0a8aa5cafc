/** A quotient of two sums over cases, with its counts and a 95 % interval. */
import { bootstrap, type Interval } from './bootstrap.ts';

/** `value` is null if there is nothing to divide by. */
export type Share = {
  readonly part: number;
  readonly of: number;
  readonly value: number | null;
  readonly interval: Interval | null;
};

/** Contract: pure. */
export type Count<Item> = (item: Item) => number;

export const sum = <Item>(items: readonly Item[], count: Count<Item>): number =>
  items.reduce((total, item) => total + count(item), 0);

export const quotient = (part: number, of: number): number | null => (of === 0 ? null : part / of);

export type Quotient<Item> = { readonly part: Count<Item>; readonly of: Count<Item>; readonly per?: number };

export const shareOf = <Item>(items: readonly Item[], { part, of, per = 1 }: Quotient<Item>): Share => {
  const measure = (sample: readonly Item[]): number | null => {
    const value = quotient(sum(sample, part), sum(sample, of));
    return value === null ? null : value * per;
  };
  return { part: sum(items, part), of: sum(items, of), value: measure(items), interval: bootstrap(items, measure) };
};
