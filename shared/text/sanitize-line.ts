import { BREAK, breakEverywhere, breakLineStart, breakMarkup, type MayMention } from './break-points.ts';
import { splitCodeSpans, type LinePiece } from './code-spans.ts';
import { breakIfAddress, breakLinks, type LinkPolicy, type ProsePiece, splitAddresses } from './link-policy.ts';

export type LineRules = LinkPolicy & {
  readonly mayMention: MayMention;
  readonly mayShow: MayMention;
  /** Whether a pipe may separate table cells. */
  readonly mayBeRow: boolean;
};

const addBreakAfterEscape = (found: string, escape: string | undefined): string =>
  escape === undefined ? found : `${escape}${BREAK}`;

/**
 * Breaks backslashes that hide an address (`https:\/\/`) or open a formula (`\(`, `\[`). The three escapes that we write
 * are kept. `\\` is matched as a pair, to keep the parity.
 */
const breakEscapes = (text: string): string => text.replace(/(\\\\|\\)(?=[/:()[\]])|\\\\/g, addBreakAfterEscape);

/** A dollar sign opens a formula, in which escapes and code spans have no effect. */
const escapeDollars = (text: string): string =>
  text.replace(/\\[\\`$]|\$/g, (found) => (found === '$' ? '\\$' : found));

const sanitizeProse = (text: string): string => breakMarkup(escapeDollars(breakEscapes(text)));

/** Breaks a last character that could turn the next piece into a reference. */
const breakEnd = (text: string): string => text.replace(/[[~%]$/, (sign) => `${sign}${BREAK}`);

/**
 * A pipe splits table cells even inside a code span. Only a single backslash counts as its escape, because renderers
 * treat two backslashes differently.
 */
const isCodeInTable = ({ kind, text }: LinePiece): boolean =>
  kind === 'prose' || !text.replaceAll(/(?<!\\)\\\|/g, '').includes('|');

/** If a pipe splits a code span, the other spans may pair differently, so all pieces are treated as prose. */
const sanitizeInTable = (pieces: readonly LinePiece[], policy: LinkPolicy): string =>
  pieces
    .map(({ kind, text }, index) => {
      const beforeCode = index + 1 < pieces.length;
      const linked = breakLinks({ text, beforeCode }, policy);
      const inert = kind === 'prose' ? sanitizeProse : breakMarkup;
      return splitAddresses({ text: linked, beforeCode }, policy)
        .map((piece) => (piece.kind === 'own_link' ? piece.text : breakEnd(inert(breakIfAddress(piece)))))
        .join('');
    })
    .join('');

const separator = (before: string, next: string): string => {
  // A live link stays unchanged, even after a sign that would turn it into an autolink or a reference.
  if (/[<[]$/.test(before) && /^[a-z]/i.test(next)) return BREAK;
  if (!next.startsWith('`')) return '';
  // Adjacent spans would merge into a longer run of backticks, and a backslash would escape the backtick.
  if (before.endsWith('`') || before.endsWith('\\')) return ' ';
  // A dollar and a backtick together open a formula.
  return before.endsWith('$') ? BREAK : '';
};

/** Keeps the last piece in a separate variable: reading the last character of a growing string copies the whole string. */
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

const sanitizeAroundCode = (
  pieces: readonly LinePiece[],
  policy: LinkPolicy,
  write: (piece: ProsePiece) => string,
): string =>
  joinPieces(
    pieces.flatMap(({ kind, text }, index) => {
      if (kind === 'code') return [text];
      const beforeCode = index + 1 < pieces.length;
      const linked = breakLinks({ text, beforeCode }, policy);
      return splitAddresses({ text: linked, beforeCode }, policy).map((piece) =>
        piece.kind === 'own_link' ? piece.text : write(piece),
      );
    }),
  );

const writeOutsideTable = (piece: ProsePiece): string =>
  piece.kind === 'foreign_address' ? `\`${piece.text}\`` : sanitizeProse(piece.text);

const writeInTable = (piece: ProsePiece): string => breakEnd(sanitizeProse(breakIfAddress(piece)));

const sanitizePieces = (line: string, { mayBeRow, ...policy }: LineRules): string => {
  const pieces = splitCodeSpans(line);
  if (!mayBeRow || !line.includes('|')) return sanitizeAroundCode(pieces, policy, writeOutsideTable);
  return pieces.every(isCodeInTable)
    ? sanitizeAroundCode(pieces, policy, writeInTable)
    : sanitizeInTable(pieces, policy);
};

/** Sanitizes one line of prose. Idempotent; linear in the length of the line. */
export const sanitizeLineOfProse = (line: string, rules: LineRules): string => {
  const inert = sanitizePieces(line, rules);
  const called = splitCodeSpans(inert).map(({ text }) => breakEverywhere(text, rules.mayMention, rules.mayShow));
  return breakLineStart(called.join(''));
};
