/** Finds lines in a fence at column 0, unless an earlier line could make a Markdown parser read them differently. */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
/** Matches a line at column 0 that could close an indented fence, and HTML that could contain a fence. */
const DOUBT = /^[ \t]+(?:`{3}|~{3})|^[^\p{L}\p{N}]*</u;

/** Call the result with each line of the text in order. Returns true only within a fence, excluding the fence lines. */
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

/** True if the line closes the fence: same character, at least as long, indented by at most three spaces, only blanks after it. */
const closes = (line: string, fence: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return found.length >= fence.length && found.startsWith(fence.charAt(0));
};
