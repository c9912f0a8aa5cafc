/** What the forge remembers, as one value per content: equal ones are the same, and have a number. */
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';

export type Markers = readonly MarkerPayload[];

const byText = new Map<string, Markers>();
const numbers = new WeakMap<Markers, number>();
let last = 0;

/** Between two walks, whose worlds are never compared: what is kept for one is of no use to the other. */
export const forgetMarkers = (): void => byText.clear();

/** Plans list the fields of a marker in different orders, which nobody reads. */
const inKeyOrder = (_key: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** The one that stands for all of this content. */
export const oneOf = (markers: Markers): Markers => {
  if (numbers.has(markers)) return markers;
  const text = JSON.stringify(markers, inKeyOrder);
  const known = byText.get(text);
  if (known !== undefined) return known;
  last += 1;
  byText.set(text, markers);
  numbers.set(markers, last);
  return markers;
};

export const numberOf = (markers: Markers): number => numbers.get(oneOf(markers)) ?? 0;

/** Remembers what was made of markers, by `key`: the same is asked for in very many worlds. */
export const remembering = <Value>() => {
  const made = new WeakMap<Markers, Map<string, Value>>();
  return (markers: Markers, key: string, make: () => Value): Value => {
    const of = oneOf(markers);
    const known = made.get(of) ?? new Map<string, Value>();
    made.set(of, known);
    const old = known.get(key);
    if (old !== undefined) return old;
    const fresh = make();
    known.set(key, fresh);
    return fresh;
  };
};
