/**
 * Which lines are certainly code to every parser: those of a fence at column 0, as long as nothing came before that
 * could make a parser see it otherwise.
 */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
/** A fence with blanks in front could be closed by one at column 0, and a block of HTML could hold one. */
const DOUBT = /^[ \t]+(?:`{3}|~{3})|^[^\p{L}\p{N}]*</u;

/** To be called with each line of a text in its order. True only within a fence, its two lines not counted. */
export const createFenceWatch = (): ((line: string) => boolean) => {
  let fence: string | null = null;
  let inDoubt = false;
  return (line) => {
    if (fence !== null) {
      if (!closes(line, fence)) return true;
      fence = null;
      return false;
    }
    inDoubt ||= DOUBT.test(line);
    if (!inDoubt) fence = FENCE.exec(line)?.[1] ?? null;
    return false;
  };
};

/** As in CommonMark: of the same sign, at least as long, at most three blanks in front, nothing but blanks behind. */
const closes = (line: string, fence: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return found.length >= fence.length && found.startsWith(fence.charAt(0));
};
