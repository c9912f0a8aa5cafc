/** Distinguishes code lines from comments, prose, blank lines and lines with only brackets. */

const COMMENT =
  /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!\[|include|define|if|else|endif|pragma|import)|<!--|--\s|;|%|"""|''')/;
const PROSE =
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|text|org|tex)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|README)$/i;

export const isCodeLine = (line: string): boolean => /[\p{L}\p{N}]/u.test(line) && !COMMENT.test(line);

export const isProseFile = (path: string): boolean => PROSE.test(path);
