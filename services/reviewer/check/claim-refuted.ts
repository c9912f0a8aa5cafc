import { codeOnly } from '../../../shared/diff/code-only.ts';
import { isCodeLine, isProseFile } from '../../../shared/diff/code-line.ts';
import { runsOf } from '../../../shared/diff/line-runs.ts';
import { findFile } from '../../../shared/diff/position/find-file.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import { findEvidence } from '../../../shared/text/normalise-evidence.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { DraftFinding, Quote } from '../../../shared/vocabulary/finding.ts';
import type { Packet } from '../packet/packet.ts';

type Sources = Pick<Packet, 'diff' | 'headText' | 'baseText'> & { readonly redact: Redactor };

/** Shorter code occurs in many places. White space does not count. */
const MIN_QUOTE = 8;

/** Matches lines that only declare what a file uses, which cannot refute a claim. */
const DECLARES =
  /^\s{0,40}(?:import|package|using|use|require|include|from|export \*)\b|^\s{0,40}#\s{0,8}include|=\s{0,8}require\s{0,8}\(/;

const decides = (line: string): boolean => isCodeLine(line) && !DECLARES.test(line);

const isCode = (code: string): boolean =>
  code.split('\n').some(decides) && code.replaceAll(/\s/g, '').length >= MIN_QUOTE;

const WORD = /[\p{L}_$][\p{L}\p{N}_$]{2,99}/gu;

/** Keywords of programming languages and common English words, which do not show what code is about. */
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

/**
 * True if the quoted code has a name in common with the claim's text or quotes. Code about something else refutes
 * nothing.
 */
const isAbout = ({ code }: Quote, { title, evidence, quotes = [] }: RefutedBy): boolean => {
  const claimed = wordsIn([title, evidence, ...quotes.map((each) => each.code)].join('\n'));
  return [...wordsIn(codeOnly(code))].some((word) => claimed.has(word));
};

type RefutedBy = Pick<DraftFinding, 'severity' | 'title' | 'evidence' | 'quotes'>;

/**
 * Tells whether the quote may refute the claim. Only code that shares a name with the claim can refute it; comments and
 * strings cannot. For a P0 or P1, the code must also exist at the base, and the change must not add the same code,
 * because the author of the change could have added it to refute the claim.
 */
export const mayRefute = async (
  quote: Quote | null,
  claim: RefutedBy,
  { diff, headText, baseText, redact }: Sources,
): Promise<boolean> => {
  if (quote === null || isProseFile(quote.path) || !isAbout(quote, claim)) return false;
  const file = findFile(diff, quote.path, 'new') ?? findFile(diff, quote.path, 'old');
  const stands = (text: string | null): boolean => text !== null && standsAsCode(quote.code, text, redact);
  if (!stands(await headText(file?.newPath ?? quote.path))) return false;
  if (!isGrave(claim.severity)) return true;
  if (!stands(await baseText(file?.oldPath ?? quote.path))) return false;
  return file === null || !runsOf(file, ({ kind }) => kind === 'added').some((text) => holds(quote.code, text, redact));
};

const holds = (code: string, text: string, redact: Redactor): boolean => findEvidence(code, text, redact) !== null;

const standsAsCode = (quoted: string, text: string, redact: Redactor): boolean => {
  const found = findEvidence(quoted, text, redact);
  if (found === null) return false;
  const code = codeOnly(found);
  return isCode(code) && holds(code, codeOnly(text), redact);
};
