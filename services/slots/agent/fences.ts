/** Finds fenced code blocks as defined by CommonMark: https://spec.commonmark.org/0.31.2/#fenced-code-blocks. Pure. */

type Block = {
  readonly start: number;
  readonly end: number;
  /** Position after the closing fence. */
  readonly after: number;
  readonly isClosed: boolean;
};

const OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

const isClosing = (line: string, fence: string): boolean => {
  const [, run] = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/.exec(line) ?? [];
  return run !== undefined && run[0] === fence[0] && run.length >= fence.length;
};

type Open = { readonly fence: string; readonly start: number };

/** Returns the last block of the text, or null. An unclosed block reaches to the end of the text. */
export const lastBlock = (text: string): Block | null => {
  let open: Open | null = null;
  let last: Block | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const next = Math.min(at + line.length + 1, text.length);
    if (open === null) {
      const [, fence] = OPENING.exec(line) ?? [];
      if (fence !== undefined) open = { fence, start: next };
    } else if (isClosing(line, open.fence)) {
      last = { start: open.start, end: at, after: next, isClosed: true };
      open = null;
    }
    at = next;
  }
  return open === null ? last : { start: open.start, end: text.length, after: text.length, isClosed: false };
};
