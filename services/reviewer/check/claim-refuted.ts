import { isCodeLine, isProseFile } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { findFile } from '../../../shared/diff/position/find-file.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import { findEvidence } from '../../../shared/text/normalise-evidence.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { DraftFinding, Quote } from '../../../shared/vocabulary/finding.ts';
import type { Packet } from '../packet/packet.ts';

type Sources = Pick<Packet, 'diff' | 'headText' | 'baseText'> & { readonly redact: Redactor };

/** Shorter code occurs in many places. White space does not count. */
const MIN_QUOTE = 8;

/** Declares what a file uses; it decides nothing. */
const DECLARES =
  /^\s{0,40}(?:import|package|using|use|require|include|from|export \*)\b|^\s{0,40}#\s{0,8}include|=\s{0,8}require\s{0,8}\(/;
/** A whole line that is only a string, such as a directive or a line of documentation. */
const IS_STRING = /^\s{0,40}(["'`]).{0,2000}\1[,;]?\s{0,8}$/;

const decides = (line: string): boolean => isCodeLine(line) && !DECLARES.test(line) && !IS_STRING.test(line);

const isCode = ({ path, code }: Quote): boolean =>
  !isProseFile(path) && code.split('\n').some(decides) && code.replaceAll(/\s/g, '').length >= MIN_QUOTE;

const WORD = /[\p{L}_$][\p{L}\p{N}_$]{2,99}/gu;

/** Words of many languages and of English, which say nothing about what code is about. */
const COMMON = new Set(
  (
    'return const let var function func def fun class struct enum type interface public private static final void int ' +
    'string bool boolean number null none nil undefined true false this self super new throw throws raise try catch ' +
    'finally except else elif for while switch case break continue default async await yield import export from ' +
    'package use using require include with not and or the that when which are was has have does can will its for ' +
    'out into only then than value data'
  ).split(' '),
);

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set((text.match(WORD) ?? []).filter((word) => !COMMON.has(word.toLowerCase())));

/** True if the quote has a name in common with what the claim says or quotes; code about something else refutes nothing. */
const isAbout = ({ code }: Quote, { title, evidence, quotes = [] }: RefutedBy): boolean => {
  const claimed = wordsIn([title, evidence, ...quotes.map((each) => each.code)].join('\n'));
  return [...wordsIn(code)].some((word) => claimed.has(word));
};

const BLOCKS: readonly (readonly [open: string, close: string])[] = [
  ['/*', '*/'],
  ['"""', '"""'],
  ["'''", "'''"],
  ['<!--', '-->'],
];

/** True if a comment or a documentation string is open after the text. */
const endsInComment = (text: string): boolean =>
  BLOCKS.some(([open, close]) => {
    if (open === close) return text.split(open).length % 2 === 0;
    return text.lastIndexOf(open) > text.lastIndexOf(close);
  });

/** Lines next to each other that the change adds, as one text each. */
const addedTexts = ({ hunks }: DiffFile): readonly string[] =>
  hunks.flatMap((hunk) => {
    const runs: string[][] = [];
    let last = -1;
    for (const { kind, newLine, text } of hunkLines(hunk)) {
      if (kind !== 'added' || newLine === null) continue;
      if (newLine === last + 1) runs.at(-1)?.push(text);
      else runs.push([text]);
      last = newLine;
    }
    return runs.map((lines) => lines.join('\n'));
  });

type RefutedBy = Pick<DraftFinding, 'severity' | 'title' | 'evidence' | 'quotes'>;

/**
 * Tells whether the quote may refute the claim. Only code refutes that shares a name with the claim. For a P0 or P1 it must also
 * stand at the base, outside of comments, and the change must not add the same code: the author of the change could have
 * written anything in order to refute the claim.
 */
export const mayRefute = async (
  quote: Quote | null,
  claim: RefutedBy,
  { diff, headText, baseText, redact }: Sources,
): Promise<boolean> => {
  if (quote === null || !isCode(quote) || !isAbout(quote, claim)) return false;
  const file = findFile(diff, quote.path, 'new') ?? findFile(diff, quote.path, 'old');
  const stands = (text: string | null): boolean => text !== null && findEvidence(quote.code, text, redact) !== null;
  const head = await headText(file?.newPath ?? quote.path);
  if (head === null || !stands(head)) return false;
  if (!isGrave(claim.severity)) return true;
  if (!stands(await baseText(file?.oldPath ?? quote.path))) return false;
  const isAdded = file !== null && addedTexts(file).some(stands);
  return !isAdded && !isInComment(quote.code, head, redact);
};

/** A quote that cannot be placed exactly counts as code, because its text was found. */
const isInComment = (code: string, head: string, redact: Redactor): boolean => {
  const found = findEvidence(code, head, redact) ?? code;
  const [first = ''] = found.split('\n').filter((line) => line.trim() !== '');
  const at = head.indexOf(first.trim());
  return at >= 0 && endsInComment(head.slice(0, at));
};
