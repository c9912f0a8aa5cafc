/** Whether a process needs more and more memory, from its resident memory at regular times. */
import { median } from '../numbers.ts';

/** `atMs` since the begin of the run. */
export type MemorySample = { readonly atMs: number; readonly megabytes: number };

export type Growth = {
  /** Median of the first window, and of the last. */
  readonly startMb: number;
  readonly endMb: number;
  /** Least squares over the windows. */
  readonly mbPerHour: number;
  /** Two standard errors of the slope. */
  readonly spreadMbPerHour: number;
};

export type Verdict = 'flat' | 'grows' | 'not clear';

/**
 * A process that gains 1 MB per minute under load without a pause. Slower growth is not visible beside the collections of
 * garbage within ten minutes; a longer run sees it.
 */
export const FLAT_MB_PER_HOUR = 60;

/** With fewer windows the spread is too uncertain, with more the medians are. */
const WINDOWS = 10;

const HOUR_MS = 3_600_000;

/** The samples in consecutive windows of equal count; the last window may have fewer. */
const windowsOf = (samples: readonly MemorySample[]): readonly MemorySample[] => {
  const size = Math.max(1, Math.round(samples.length / WINDOWS));
  const starts = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => index * size);
  return starts.map((start) => {
    const window = samples.slice(start, start + size);
    return {
      atMs: median(window.map(({ atMs }) => atMs)),
      megabytes: median(window.map(({ megabytes }) => megabytes)),
    };
  });
};

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

/** Null for fewer than three windows, because a line always fits two. */
export const measureGrowth = (samples: readonly MemorySample[]): Growth | null => {
  const points = windowsOf(samples).map(({ atMs, megabytes }) => ({ hours: atMs / HOUR_MS, megabytes }));
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < 3 || first === undefined || last === undefined) return null;
  const middle = { hours: mean(points.map(({ hours }) => hours)), megabytes: mean(points.map((one) => one.megabytes)) };
  const sum = (term: (point: (typeof points)[number]) => number): number =>
    points.reduce((total, point) => total + term(point), 0);
  const width = sum(({ hours }) => (hours - middle.hours) ** 2);
  const slope = sum(({ hours, megabytes }) => (hours - middle.hours) * (megabytes - middle.megabytes)) / width;
  const rest = sum(({ hours, megabytes }) => (megabytes - middle.megabytes - slope * (hours - middle.hours)) ** 2);
  return {
    startMb: first.megabytes,
    endMb: last.megabytes,
    mbPerHour: slope,
    spreadMbPerHour: 2 * Math.sqrt(rest / (points.length - 2) / width),
  };
};

/** Not clear if the limit is within the spread of the slope. */
export const judgeGrowth = ({ mbPerHour, spreadMbPerHour }: Growth, limit = FLAT_MB_PER_HOUR): Verdict => {
  if (mbPerHour + spreadMbPerHour <= limit) return 'flat';
  return mbPerHour - spreadMbPerHour > limit ? 'grows' : 'not clear';
};
