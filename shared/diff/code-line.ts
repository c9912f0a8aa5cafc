/** Whether a line says something to a machine: no comment, no prose, no blank and no bracket alone. */

const COMMENT =
  /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!\[|include|define|if|else|endif|pragma|import)|<!--|--\s|;|%|"""|''')/;
const PROSE =
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|text|org|tex)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|README)$/i;

export const isCodeLine = (line: string): boolean => /[\p{L}\p{N}]/u.test(line) && !COMMENT.test(line);

/** A file whose lines are read by people only. */
export const isProseFile = (path: string): boolean => PROSE.test(path);
