/**
 * Compares the CPU time for a text and for twice the text. The text is doubled until the time is measurable, and the
 * fastest of several runs counts, because a busy machine only adds time.
 */
import { readFileSync } from 'node:fs';

export type Read = (text: string) => unknown;
export type Make = (characters: number) => string;

export type Doubled = {
  readonly characters: number;
  readonly ms: number;
  /** Null when even the largest text is too fast to measure. */
  readonly ratio: number | null;
};

export type Doubling = {
  readonly first: number;
  /** Length limit: longer texts never reach the parser, or would show nothing new. */
  readonly most: number;
  readonly enoughMs: number;
  readonly runs: number;
};

/** Resolution of the kernel's counter, which is only good enough for whole programs. */
const MS_PER_TICK = 10;

/** CPU time of child processes that have ended; 0 without /proc. */
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

/** Alternates between both sizes, so that a slow phase of the machine affects both. */
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
