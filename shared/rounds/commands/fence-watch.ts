/** Finds lines in a fence at column 0, unless an earlier line could make a Markdown parser read them differently. */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
/** A line at column 0 could close an indented fence, and an HTML block could contain a fence. */
const DOUBT = /^[ \t]+(?:`{3}|~{3})|^[^\p{L}\p{N}]*</u;

/** Call it with each line of a text in order. True only within a fence, excluding the fence lines. */
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

/** As in CommonMark: same character, at least as long, indented by at most three spaces, only blanks after it. */
const closes = (line: string, fence: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return found.length >= fence.length && found.startsWith(fence.charAt(0));
};
