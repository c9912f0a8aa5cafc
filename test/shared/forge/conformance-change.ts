/** The change that the suite is played on, the same on every forge. */
import type { Position, PositionLine } from '../../../shared/diff/position/position.ts';
import type { ConformanceWorld } from './conformance-world.ts';

export const FILE = 'app.txt';
export const TITLE = 'Change the app';
export const DESCRIPTION = 'Please review';

const lines = (count: number, text: string): string[] =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}`);
export const original = lines(30, 'line');
/** Line 5 is replaced, line 20 is removed, three lines are added behind line 25. */
export const changed = [
  ...original.slice(0, 4),
  'changed 5',
  ...original.slice(5, 19),
  ...original.slice(20, 25),
  ...lines(3, 'added'),
  ...original.slice(25),
];

const added = (newLine: number, oldBefore: number): PositionLine => ({
  kind: 'added',
  oldLine: null,
  newLine,
  lineCodeOld: oldBefore,
  lineCodeNew: newLine,
});
const removed = (oldLine: number, newBefore: number): PositionLine => ({
  kind: 'removed',
  oldLine,
  newLine: null,
  lineCodeOld: oldLine,
  lineCodeNew: newBefore,
});
const at = (side: Position['side'], start: PositionLine, end = start): Position => ({
  oldPath: FILE,
  newPath: FILE,
  side,
  start,
  end,
});

/** Behind the end of the new file: Gitea does not look at the old one. */
export const BEHIND_NEW: Position = at('new', added(400, 1));

export const POSITIONS: ConformanceWorld['positions'] = {
  added: at('new', added(5, 5)),
  removed: at('old', removed(20, 19)),
  range: at('new', added(25, 26), added(27, 26)),
  // Behind the end of the old file.
  nowhere: at('old', removed(400, 1)),
};
