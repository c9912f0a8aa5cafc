import { hunkLines } from './hunk-lines.ts';
import type { DiffFile, HunkLine } from './model.ts';

/** Joins consecutive lines of one side into one text, so that a quote can span these lines but no others. */
export const runsOf = ({ hunks }: DiffFile, isWanted: (line: HunkLine) => boolean): readonly string[] =>
  hunks.flatMap((hunk) => {
    const runs: string[][] = [];
    let open = false;
    for (const line of hunkLines(hunk)) {
      const wanted = isWanted(line);
      if (wanted && open) runs.at(-1)?.push(line.text);
      else if (wanted) runs.push([line.text]);
      open = wanted;
    }
    return runs.map((lines) => lines.join('\n'));
  });
