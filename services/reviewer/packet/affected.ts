/** Finds places that a push may have broken: unchanged hunks that use a name whose definition changed. */
import type { Delta, HunkDelta } from '../../../shared/diff/delta.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { definedIn } from './changed-names.ts';

const WORD = /[\p{L}_$][\p{L}\p{N}_$]{2,99}/gu;
const MAX_PLACES = 100;

const usesIn = (file: DiffFile, { hunk }: HunkDelta, names: ReadonlySet<string>): readonly string[] =>
  hunkLines(hunk).flatMap(({ newLine, text }) => {
    if (newLine === null) return [];
    const used = new Set([...text.matchAll(WORD)].map(([word]) => word).filter((word) => names.has(word)));
    return [...used].map((name) => `${file.newPath}:${newLine} ${name}`);
  });

export const affectedPlaces = ({ files, gone }: Delta): readonly string[] => {
  const hunks = files.flatMap(({ file, hunks: all }) => all.map((each) => ({ file, each })));
  const changed = hunks.flatMap(({ each: { state, hunk, previous } }) =>
    state === 'unchanged' ? [] : [hunk, ...(previous === null ? [] : [previous])],
  );
  const names = new Set([...changed, ...gone.map(({ hunk }) => hunk)].flatMap(definedIn));
  if (names.size === 0) return [];
  return hunks
    .filter(({ each }) => each.state === 'unchanged')
    .flatMap(({ file, each }) => usesIn(file, each, names))
    .slice(0, MAX_PLACES);
};
