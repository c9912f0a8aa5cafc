import { dropEnd } from './drop-end.ts';

/** A zero-width space makes a mention, command or reference inert. Unlike a backslash, it works in prose and in code. */
export const BREAK = '\u200b';

/**
 * Matches existing breaks at positions where a break would be inserted. They are removed first, so that sanitizing
 * twice changes nothing.
 */
const OLD_BREAKS = /(?<=[/@#!&<>[\]:$\\~%*-])\u200b+|(?<=w)\u200b+(?=ww\.)|(?<=[0-9a-f]{6})\u200b+(?=[0-9a-f])/gi;

export const removeBreaks = (text: string): string => text.replace(OLD_BREAKS, '');

/** GitLab runs a command only at the start of a line outside code; other bots and older versions are less strict. */
const COMMAND = /^([\s>*+\-|#\d.)\\]*\/)(?=[a-z])/i;
/** Matches GitLab's include directives and its fence for long quotes, which pairs across code fences. */
const DIRECTIVE = /^(\s*:):(?=:|[a-z])/i;
const LONG_QUOTE = /^(\s*>)(?=>>\s*$)/;

export const breakLineStart = (line: string): string =>
  line.replace(COMMAND, `$1${BREAK}`).replace(DIRECTIVE, `$1${BREAK}:`).replace(LONG_QUOTE, `$1${BREAK}`);

const INCLUDE = /^(\s*:):(?=include\{)/i;
const OWN_MARKER = /<!(?=--\s{0,20}fixpoint)/gi;
/** Matches a word that GitLab may read as a command; in a path or pattern, more text follows directly. */
const COMMAND_WORD = /^([\s>*+\-|#\d.)\\]*\/)(?=[a-z_]{1,40}(?:\s|$|\[U\+))/i;

/**
 * In a fence, only our markers and what GitLab reads before code are dangerous: GitLab ignores mentions and references in
 * `pre`, and Forgejo and Gitea remove code first.
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

/** Matches every character that could belong to the login, because a longer login belongs to another account. */
const MENTION = /@(?=[\w.\\])([\w./-]*)/g;

/** `<!--` could start a marker. A code span may start with a login that `mayShow` allows. */
export const breakEverywhere = (text: string, mayMention: MayMention, mayShow: MayMention): string =>
  text
    .replace(MENTION, (whole, found: string, at: number) => {
      const name = dropEnd(found, (character) => './-'.includes(character));
      return mayMention(name) || (at === 1 && text.startsWith('`') && mayShow(name)) ? whole : `@${BREAK}${found}`;
    })
    .replaceAll('<!--', `<!${BREAK}--`);

/** Matches words that close an issue, followed by the key of an external tracker. */
const TRACKER_KEY = /\b((?:clos|fix|resolv|implement)[a-z]{0,4}[:\s]{1,10}[A-Z][A-Z0-9_]{0,15}-)(?=\d)/gi;

/**
 * Breaks GitLab references other than `#1`, `!1`, `&1` and `[kind:1]`: `GL-1`, `$1`, `~label`, `%milestone`, `*iteration:`,
 * `group/project>`. They are references even after a path or before `+`. A commit id is broken because GitLab adds a note
 * to a mentioned commit.
 * https://docs.gitlab.com/user/markdown/#gitlab-specific-references
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

/**
 * A short commit id has at least seven digits. A run of only decimal digits, or only letters, is unlikely to be a
 * commit id.
 */
const COMMIT = /\b(?=[0-9]{0,63}[a-f])(?=[a-f]{0,63}[0-9])[0-9a-f]{7,64}\b/gi;

/** Everything that `breakMarkup` breaks contains one of these. Most prose has none, so one search replaces fourteen. */
const MAY_BE_MARKUP = /[\d~%*/<&[\]]/;

/** Breaks HTML, entities, images, references, definitions and tables of contents, which work only in prose. */
export const breakMarkup = (text: string): string => (MAY_BE_MARKUP.test(text) ? breakAllMarkup(text) : text);

const breakAllMarkup = (text: string): string =>
  breakReferences(text)
    .replace(/<(?=[a-z/!?])/gi, `<${BREAK}`)
    .replace(/&(?=#?[0-9a-z]{1,40};|\d)/gi, `&${BREAK}`)
    .replace(/!(?=[\d[])/g, `!${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/\[(?=\[|toc\]|[a-z_]{2,20}:)/gi, `[${BREAK}`)
    .replace(/\](?=:)/g, `]${BREAK}`)
    .replace(TRACKER_KEY, `$1${BREAK}`);
