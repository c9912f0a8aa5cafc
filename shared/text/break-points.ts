import { dropEnd } from './drop-end.ts';

/**
 * A zero-width space after the first character of anything that a forge would interpret (mentions, commands, references)
 * makes it inert. Unlike a backslash it works the same in prose and in code, and the reader does not see it.
 */
export const BREAK = '\u200b';

/** Breaks that stand where ours stand are taken out first, so that sanitizing twice changes nothing. */
const OLD_BREAKS = /(?<=[/@#!&<>[\]:$\\~%*-])\u200b+|(?<=w)\u200b+(?=ww\.)|(?<=[0-9a-f]{6})\u200b+(?=[0-9a-f])/gi;

export const removeBreaks = (text: string): string => text.replace(OLD_BREAKS, '');

/**
 * A line that begins, after blanks and the signs of quotes, lists, headings and tables, with `/` and a letter. GitLab
 * needs it at the very start and outside of code; other bots and older versions are less exact, so all are broken.
 */
const COMMAND = /^([\s>*+\-|#\d.)\\]*\/)(?=[a-z])/i;
/** GitLab's include directives and its fence for long quotes, which pairs up across code fences. */
const DIRECTIVE = /^(\s*:):(?=:|[a-z])/i;
const LONG_QUOTE = /^(\s*>)(?=>>\s*$)/;

/** For one line, in code as well as in prose. */
export const breakLineStart = (line: string): string =>
  line.replace(COMMAND, `$1${BREAK}`).replace(DIRECTIVE, `$1${BREAK}:`).replace(LONG_QUOTE, `$1${BREAK}`);

const INCLUDE = /^(\s*:):(?=include\{)/i;
const OWN_MARKER = /<!(?=--\s{0,20}fixpoint)/gi;
/** A word that GitLab could know as a command: behind a path or a pattern more follows at once. */
const COMMAND_WORD = /^([\s>*+\-|#\d.)\\]*\/)(?=[a-z_]{1,40}(?:\s|$|\[U\+))/i;

/**
 * What must not stay as it is inside of a closed fence, line by line: our own markers, and what GitLab may read before it
 * looks for code. Mentions and references in a fence do nothing on any forge: GitLab's filters pass over `pre`, Forgejo
 * and Gitea strip code before they look for names.
 */
export const breakInCode = (lines: readonly string[]): readonly string[] =>
  lines.map((line) =>
    line
      .replaceAll(OWN_MARKER, `<!${BREAK}`)
      .replace(INCLUDE, `$1${BREAK}:`)
      .replace(LONG_QUOTE, `$1${BREAK}`)
      .replace(COMMAND_WORD, `$1${BREAK}`),
  );

export type MayMention = (login: string) => boolean;

export const mayMentionOnly = (logins: readonly string[]): MayMention => {
  const allowed = new Set(logins.map((login) => login.toLowerCase()));
  return (login) => allowed.has(login.toLowerCase());
};

/** Everything that a forge or a bot could read as the name: a longer name is another name. */
const MENTION = /@(?=[\w.\\])([\w./-]*)/g;

/**
 * Mentions and the beginning of comments, which could be a marker: broken in code as well as in prose. Of a piece of a
 * line: with whom `mayShow` it may begin, behind one backtick.
 */
export const breakEverywhere = (text: string, mayMention: MayMention, mayShow: MayMention): string =>
  text
    .replace(MENTION, (whole, found: string, at: number) => {
      const name = dropEnd(found, (character) => './-'.includes(character));
      return mayMention(name) || (at === 1 && text.startsWith('`') && mayShow(name)) ? whole : `@${BREAK}${found}`;
    })
    .replaceAll('<!--', `<!${BREAK}--`);

/** Words that close an issue, before the key of an outside tracker. */
const TRACKER_KEY = /\b((?:clos|fix|resolv|implement)[a-z]{0,4}[:\s]{1,10}[A-Z][A-Z0-9_]{0,15}-)(?=\d)/gi;

/**
 * What GitLab makes a reference of beside `#1`, `!1`, `&1` and `[kind:1]`; a path in front of one, or `+` behind it,
 * changes nothing: `GL-1`, `$1`, `~label`, `%milestone`, `*iteration:`, `group/project>`. A commit that is named gets a
 * note of its own. https://docs.gitlab.com/user/markdown/#gitlab-specific-references
 */
const breakReferences = (text: string): string =>
  text
    .replace(/\bGL-(?=\d)/gi, (found) => `${found}${BREAK}`)
    .replace(/\$(?=\d)/g, `$$${BREAK}`)
    .replace(/~(?=[\w"])/g, `~${BREAK}`)
    .replace(/%(?=[\w"])/g, `%${BREAK}`)
    .replace(/\*(?=iteration:)/gi, `*${BREAK}`)
    .replace(/\/(?=[\w.-]{1,100}>)/g, `/${BREAK}`)
    .replace(COMMIT, (found) => found.replace(/[0-9a-f]{6}(?=[0-9a-f])/gi, (piece) => `${piece}${BREAK}`));

/** Short for a commit from seven digits on; a number or a word alone is hardly one. */
const COMMIT = /\b(?=[0-9]{0,63}[a-f])(?=[a-f]{0,63}[0-9])[0-9a-f]{7,64}\b/gi;

/** Raw HTML, entities, images, references, definitions, tables of contents: live in prose only. */
export const breakMarkup = (text: string): string =>
  breakReferences(text)
    .replace(/<(?=[a-z/!?])/gi, `<${BREAK}`)
    .replace(/&(?=#?[0-9a-z]{1,40};|\d)/gi, `&${BREAK}`)
    .replace(/!(?=[\d[])/g, `!${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/\[(?=\[|toc\]|[a-z_]{2,20}:)/gi, `[${BREAK}`)
    .replace(/\](?=:)/g, `]${BREAK}`)
    .replace(TRACKER_KEY, `$1${BREAK}`);
