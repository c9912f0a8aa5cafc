/** One line of prose, or a code block that gets a new fence. */
export type Block =
  | { readonly kind: 'prose'; readonly line: string }
  | { readonly kind: 'code'; readonly info: string; readonly lines: readonly string[] };

/** The info string of a backtick fence contains no backtick; a line with one is prose with code spans. */
const OPENER = /^(\s*)(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const CLOSER = /^\s*(`{3,}|~{3,})\s*$/;

type Opener = { readonly indent: number; readonly fence: string; readonly info: string };

const readOpener = (line: string): Opener | null => {
  const match = OPENER.exec(line);
  if (match === null) return null;
  const [, indent = '', ticks, tickInfo, tildes, tildeInfo] = match;
  return { indent: indent.length, fence: ticks ?? tildes ?? '', info: (tickInfo ?? tildeInfo ?? '').trim() };
};

const closes = (line: string, opener: Opener): boolean => {
  const fence = CLOSER.exec(line)?.[1] ?? '';
  return fence.length >= opener.fence.length && fence.startsWith(opener.fence.charAt(0));
};

/** Removes at most as much indent as the fence has, as in CommonMark. */
const dedent = (line: string, indent: number): string => {
  let blanks = 0;
  while (blanks < indent && /\s/.test(line.charAt(blanks))) blanks += 1;
  return line.slice(blanks);
};

/**
 * Recognises fences at any indent. Each fence is rewritten so that all renderers agree: at column 0, closed, and longer
 * than any run of backticks inside. A fence after a quote or list marker is prose, because it cannot hide a fence at
 * column 0.
 */
export const readBlocks = (text: string): readonly Block[] => {
  const blocks: Block[] = [];
  let open: { readonly opener: Opener; readonly lines: string[] } | null = null;
  const close = (): void => {
    if (open !== null) blocks.push({ kind: 'code', info: open.opener.info, lines: open.lines });
    open = null;
  };
  for (const line of text.split('\n')) {
    const current: { readonly opener: Opener; readonly lines: string[] } | null = open;
    if (current === null) {
      const opener = readOpener(line);
      if (opener === null) blocks.push({ kind: 'prose', line });
      else open = { opener, lines: [] };
    } else if (closes(line, current.opener)) close();
    else current.lines.push(dedent(line, current.opener.indent));
  }
  close();
  return blocks;
};
