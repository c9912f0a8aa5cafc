import { fence } from '../fence.ts';

/** One part of a change that is too large for one review. */
export type PromptPart = {
  readonly number: number;
  readonly of: number;
  /** The folders of the other parts, each with its number of files. Untrusted. */
  readonly others: readonly string[];
};

const MAX_FOLDERS = 40;

const ROLE =
  'The diff above is the whole part that you review. Other reviewers judge the other parts at the same time; their files are in the tree at the head too. Report defects in your part and what your part breaks in other parts, and nothing else about the other parts.';

export const partSection = (part: PromptPart | undefined, boundary: string): string | null => {
  if (part === undefined) return null;
  const { number, of, others } = part;
  const more = others.length > MAX_FOLDERS ? [`in ${others.length - MAX_FOLDERS} other folders: more files`] : [];
  const list = fence('other-parts', [...others.slice(0, MAX_FOLDERS), ...more].join('\n'), boundary);
  return `This change is too large for one review, so it is reviewed in ${of} parts. This is part ${number}. ${ROLE}\nFolders of the other parts, with their numbers of changed files:\n${list}`;
};
