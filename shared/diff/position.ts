import type { Side } from '../rounds/vocabulary.ts';

/**
 * A line of a diff in both countings. An added line has no `oldLine`, a removed line no `newLine`, a context line both.
 * `lineCodeOld` and `lineCodeNew` are the running counters of both sides at that line, which some forges want also
 * for added and removed lines. All count from 1 (0 in a running counter: no line of that side precedes).
 */
export type PositionLine = {
  readonly kind: 'added' | 'removed' | 'context';
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly lineCodeOld: number;
  readonly lineCodeNew: number;
};

/** Where an inline comment hangs. `start` equals `end` for a single line; a forge shows the comment under `end`. */
export type Position = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly side: Side;
  readonly start: PositionLine;
  readonly end: PositionLine;
};
