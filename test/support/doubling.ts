/**
 * What twice the text costs, in CPU time: other processes and waiting do not count. A text is doubled until reading it
 * takes long enough to be measured, and of several readings the quickest counts, since a busy machine only adds.
 */
import { readFileSync } from 'node:fs';

export type Read = (text: string) => unknown;
export type Make = (characters: number) => string;

export type Doubled = {
  /** Of the smaller text. */
  readonly characters: number;
  /** CPU time for the smaller text. */
  readonly ms: number;
  /** Null: quicker than can be measured up to the largest text that is read. */
  readonly ratio: number | null;
};

export type Doubling = {
  readonly first: number;
  /** Longer texts never reach the parser, or nothing new would be seen. */
  readonly most: number;
  readonly enoughMs: number;
  readonly runs: number;
};

/** In ticks of the kernel, which are far too coarse for anything but programs. */
const MS_PER_TICK = 10;

/** Of programs that have ended; 0 where there is no /proc. */
const childrenMs = (): number => {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return 0;
  }
};

export const cpuMs = async (work: () => unknown, withChildren = false): Promise<number> => {
  const ended = withChildren ? childrenMs() : 0;
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 + (withChildren ? childrenMs() - ended : 0);
};

/** Texts of different size by turns, so that what slows the machine down for a while slows both down. */
export const double = async (read: Read, make: Make, doubling: Doubling, withChildren = false): Promise<Doubled> => {
  const { first, most, enoughMs, runs } = doubling;
  let characters = first;
  let text = make(characters);
  let ms = await cpuMs(() => read(text), withChildren);
  while (ms < enoughMs && 2 * characters < most) {
    characters *= 2;
    text = make(characters);
    ms = await cpuMs(() => read(text), withChildren);
  }
  if (ms < enoughMs) return { characters, ms, ratio: null };
  const twice = make(2 * characters);
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs; run += 1) {
    one = Math.min(one, await cpuMs(() => read(text), withChildren));
    two = Math.min(two, await cpuMs(() => read(twice), withChildren));
  }
  return { characters, ms: one, ratio: two / one };
};
