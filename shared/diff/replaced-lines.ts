import type { Place } from '../vocabulary/finding.ts';
import { hunkLines } from './hunk-lines.ts';
import type { Diff, DiffFile, HunkLine } from './model.ts';

/** Lines of the later state; their numbers count from 1. */
export type ReplacedBy = { readonly path: string; readonly startLine: number; readonly line: number };

/** In a longer block, it is unclear which line replaced which. */
const MAX_LINES = 3;

const blocksOf = (lines: readonly HunkLine[]): readonly (readonly HunkLine[])[] => {
  const blocks: HunkLine[][] = [];
  let open = false;
  for (const line of lines) {
    if (line.kind === 'context') open = false;
    else if (open) blocks.at(-1)?.push(line);
    else {
      blocks.push([line]);
      open = true;
    }
  }
  return blocks;
};

const spanOf = (block: readonly HunkLine[], path: string): ReplacedBy | null => {
  const removed = block.filter(({ kind }) => kind === 'removed').length;
  const added = block.flatMap(({ newLine }) => newLine ?? []);
  const [startLine, line] = [added[0], added.at(-1)];
  if (startLine === undefined || line === undefined || removed > MAX_LINES || added.length > MAX_LINES) return null;
  return { path, startLine, line };
};

const holds = (block: readonly HunkLine[], { startLine, line }: Place): boolean =>
  block.some(({ oldLine }) => oldLine !== null && oldLine >= startLine && oldLine <= line);

const blockIn = ({ hunks, newPath }: DiffFile, place: Place): ReplacedBy | null => {
  const around = hunks.filter((each) => place.line >= each.oldStart && place.startLine < each.oldStart + each.oldLines);
  const block = around.flatMap((hunk) => blocksOf(hunkLines(hunk))).find((each) => holds(each, place));
  return block === undefined ? null : spanOf(block, newPath);
};

/** Returns the lines that replaced those of `place`; null if there are none or more than `MAX_LINES`. */
export const replacedLines = (between: Diff, place: Place): ReplacedBy | null => {
  const file = between.files.find(({ oldPath, status }) => oldPath === place.path && status !== 'copied');
  const canBeRead = file !== undefined && file.complete && !file.binary && file.parents === 1;
  return canBeRead && file.status !== 'deleted' ? blockIn(file, place) : null;
};
