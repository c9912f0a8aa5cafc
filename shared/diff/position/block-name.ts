const MAX_CHARACTERS = 300;

/** The expressions are tried in this order. Each begins with a keyword or a name, so that it runs in linear time. */
const NAMED = [
  /\b(?:function\*?|def|fn|fun|sub|proc|class|interface|struct|trait|module|impl|enum|record|object) +(?:self\.)?([\p{L}_$][\p{L}\p{N}_$]{0,99})/u,
  /\bfunc +(?:\([^)]{0,99}\) *)?([\p{L}_][\p{L}\p{N}_]{0,99})/u,
  /\b(?:const|let|var|val) +([\p{L}_$][\p{L}\p{N}_$]{0,99})/u,
  /(?<![\p{L}\p{N}_$.])([\p{L}_$][\p{L}\p{N}_$]{0,99}) *[=:] *(?:async\b|function\b|\()/u,
  /(?<![\p{L}\p{N}_$.])([\p{L}_$][\p{L}\p{N}_$]{0,99}) *\(/u,
] as const;

/** The name of the function or class that the line begins; null if it has none. */
export const nameIn = (line: string): string | null => {
  const text = line.slice(0, MAX_CHARACTERS);
  for (const pattern of NAMED) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  return null;
};

const CONTROL =
  /^\s*(?:\}\s*)?(?:if|else|for|while|switch|case|catch|try|do|with|elif|when|unless|until|return|throw|default)\b/;
const OPENS = /(?:[{(:]|=>|\bdo|\bthen)\s{0,20}$|\b(?:def|class|module)\b/;
const MAX_LINES = 400;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * The name of the innermost function or class around a line, found by indentation: a line that is indented less and opens a block.
 * Null at the top level, and if none is found within 400 lines.
 */
export const enclosingName = (lines: readonly string[], line: number): string | null => {
  let indent = indentOf(lines[line - 1] ?? '');
  for (let at = line - 1; at >= 1 && line - at <= MAX_LINES && indent > 0; at -= 1) {
    const text = (lines[at - 1] ?? '').slice(0, MAX_CHARACTERS).trimEnd();
    if (text === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const name = OPENS.test(text) && !CONTROL.test(text) ? nameIn(text) : null;
    if (name !== null) return name;
  }
  return null;
};
