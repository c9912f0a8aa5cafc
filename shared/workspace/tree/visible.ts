/** Escapes control characters except tab and line feed, so that no tool result can control a terminal or hide text. */
export const visibleControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (found) => {
    if (found === '\t' || found === '\n') return found;
    return `\\x${(found.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
  });

/** Formats a line for a tool result: removes the carriage return, escapes controls, and cuts at `maxCharacters` with a note. */
export const visibleLine = (line: string, maxCharacters: number): string => {
  const text = line.replace(/\r$/, '');
  if (text.length <= maxCharacters) return visibleControls(text);
  return `${visibleControls(text.slice(0, maxCharacters))} [cut: ${text.length} characters]`;
};
