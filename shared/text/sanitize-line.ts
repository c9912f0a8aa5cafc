import { BREAK, breakEverywhere, breakLineStart, breakMarkup, type MayMention } from './break-points.ts';
import { splitCodeSpans, type LinePiece } from './code-spans.ts';
import { breakIfAddress, breakLinks, type ProsePiece, splitAddresses } from './link-policy.ts';

export type LineRules = {
  readonly forgeBaseUrl: string;
  readonly mayMention: MayMention;
  readonly mayShow: MayMention;
  /** Whether a pipe may divide the line into cells. */
  readonly mayBeRow: boolean;
};

const addBreakAfterEscape = (found: string, escape: string | undefined): string =>
  escape === undefined ? found : `${escape}${BREAK}`;

/**
 * Backslashes that hide from a raw reader what a renderer puts together again (`https:\/\/`), or that open formulas
 * (`\(`, `\[`). The three escapes that we write ourselves stay; `\\` is consumed whole, so that
 * parity is kept.
 */
const breakEscapes = (text: string): string => text.replace(/(\\\\|\\)(?=[/:()[\]])|\\\\/g, addBreakAfterEscape);

/** A dollar opens a formula, in which a renderer reads neither escapes nor code spans. */
const escapeDollars = (text: string): string =>
  text.replace(/\\[\\`$]|\$/g, (found) => (found === '$' ? '\\$' : found));

const sanitizeProse = (text: string): string => breakMarkup(escapeDollars(breakEscapes(text)));

/** What could make a reference of the piece behind it. */
const breakEnd = (text: string): string => text.replace(/[[~%]$/, (sign) => `${sign}${BREAK}`);

/**
 * A table splits its cells inside of code spans too, but not at an escaped pipe. Renderers differ in what two backslashes
 * before a pipe mean, so that only a single one counts.
 */
const isCodeInTable = ({ kind, text }: LinePiece): boolean =>
  kind === 'prose' || !text.replaceAll(/(?<!\\)\\\|/g, '').includes('|');

/** With a span that is cut, any other one may be paired anew: then nothing is code. */
const sanitizeInTable = (pieces: readonly LinePiece[], forgeBaseUrl: string): string =>
  pieces
    .map(({ kind, text }, index) => {
      const beforeCode = index + 1 < pieces.length;
      const linked = breakLinks({ text, beforeCode }, forgeBaseUrl);
      const inert = kind === 'prose' ? sanitizeProse : breakMarkup;
      return splitAddresses({ text: linked, beforeCode }, forgeBaseUrl)
        .map((piece) => (piece.kind === 'own_link' ? piece.text : breakEnd(inert(breakIfAddress(piece)))))
        .join('');
    })
    .join('');

/** What must stand between two pieces of a line, so that they stay what they are. */
const separator = (before: string, next: string): string => {
  // An address of the forge stays as it is, also behind what would make an autolink or a reference of it.
  if (/[<[]$/.test(before) && /^[a-z]/i.test(next)) return BREAK;
  if (!next.startsWith('`')) return '';
  // Touching spans would become one longer run of backticks, and a backslash would take the backtick's meaning away.
  if (before.endsWith('`') || before.endsWith('\\')) return ' ';
  // Dollar and backtick together open a formula.
  return before.endsWith('$') ? BREAK : '';
};

/** Joins at the end: asking a growing string for its last character copies all of it each time. */
const joinPieces = (pieces: readonly string[]): string => {
  const joined: string[] = [];
  let before = '';
  for (const piece of pieces) {
    if (piece === '') continue;
    joined.push(separator(before, piece), piece);
    before = piece;
  }
  return joined.join('');
};

/** `write`: what becomes of a piece of prose. Code stays as it is. */
const sanitizeAroundCode = (
  pieces: readonly LinePiece[],
  forgeBaseUrl: string,
  write: (piece: ProsePiece) => string,
): string =>
  joinPieces(
    pieces.flatMap(({ kind, text }, index) => {
      if (kind === 'code') return [text];
      const beforeCode = index + 1 < pieces.length;
      const linked = breakLinks({ text, beforeCode }, forgeBaseUrl);
      return splitAddresses({ text: linked, beforeCode }, forgeBaseUrl).map((piece) =>
        piece.kind === 'own_link' ? piece.text : write(piece),
      );
    }),
  );

const writeOutsideTable = (piece: ProsePiece): string =>
  piece.kind === 'foreign_address' ? `\`${piece.text}\`` : sanitizeProse(piece.text);

const writeInTable = (piece: ProsePiece): string => breakEnd(sanitizeProse(breakIfAddress(piece)));

const sanitizePieces = (line: string, { forgeBaseUrl, mayBeRow }: LineRules): string => {
  const pieces = splitCodeSpans(line);
  if (!mayBeRow || !line.includes('|')) return sanitizeAroundCode(pieces, forgeBaseUrl, writeOutsideTable);
  return pieces.every(isCodeInTable)
    ? sanitizeAroundCode(pieces, forgeBaseUrl, writeInTable)
    : sanitizeInTable(pieces, forgeBaseUrl);
};

/** One line outside of a fence, made inert. Idempotent; linear in the length of the line. */
export const sanitizeLineOfProse = (line: string, rules: LineRules): string => {
  const inert = sanitizePieces(line, rules);
  const called = splitCodeSpans(inert).map(({ text }) => breakEverywhere(text, rules.mayMention, rules.mayShow));
  return breakLineStart(called.join(''));
};
