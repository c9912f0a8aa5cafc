/**
 * Corrects a finding before it is judged: takes path, place and quote from the files and the relation from the diff,
 * and drops an unsafe suggestion.
 */
import { findFile } from '../../../shared/diff/position/find-file.ts';
import { hunksTouching } from '../../../shared/diff/position/position-lines.ts';
import { linesOf, placeByQuote, type QuotedPlace, type SideTexts } from '../../../shared/diff/position/quoted-place.ts';
import { isChanged, type PlacedQuote, relationOf } from '../../../shared/diff/position/relation.ts';
import { plainSuggestion } from '../../../shared/diff/position/printed-suggestion.ts';
import { safeSuggestion } from '../../../shared/diff/position/safe-suggestion.ts';
import type { ClaimFault } from '../../../shared/agent/tools/submit-review.ts';
import { isBlocking, isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { DraftFinding, Place, Quote } from '../../../shared/vocabulary/finding.ts';
import { findEvidence, isLine } from '../../../shared/text/normalise-evidence.ts';
import { readQuotation } from '../../../shared/text/printed-quotation.ts';
import { REDACTED, type Redactor } from '../../../shared/text/redact.ts';
import type { Packet } from '../packet/packet.ts';
import { type FaultyClaim, noSuchFile, notQuoted, untouched } from './claim-faults.ts';

export type ClaimSources = Pick<Packet, 'diff' | 'headText' | 'baseText'>;

export type SettledClaim = {
  readonly claim: DraftFinding;
  /** True when the quote is in the named file at head or base, or on a changed line of the change. */
  readonly evidenced: boolean;
  readonly fault: ClaimFault | null;
};

type Settling = ClaimSources & { readonly redact: Redactor };

/** Findings of our own rules are not corrected: a rule quotes its match, redacted, at the matched place. */
export const settleClaim = async (claim: DraftFinding, settling: Settling): Promise<SettledClaim> => {
  if (claim.rule !== null) return { claim, evidenced: true, fault: null };
  const path = await findPath(claim.path, settling);
  if (path === null) {
    return { claim, evidenced: false, fault: { text: noSuchFile(claim, settling.diff), binding: true } };
  }
  const texts = await textsOf(path, settling);
  const read = readEvidence({ ...claim, path }, texts, settling);
  const quoted = quotedPlace(read, texts, settling);
  const placed = { ...read.claim, ...inside(quoted.place, texts) };
  const { quotes, missing } = await quotesOf(read, settling);
  const relation = relationOf(settling.diff, { place: placed, ownText: textAt(placed, texts), quotes });
  const settled = { ...placed, relation, suggestion: suggestionOf(claim, quoted, texts) };
  const evidenced = read.kind !== 'not_found' || (relation === 'required_by_current_diff' && claim.evidence !== '');
  const fault = faultOf({ claim: settled, evidenced, said: claim.relation }, texts) ?? missing;
  return {
    claim: isFalselyQuoted(settled, evidenced, texts) ? { ...settled, evidence: '' } : settled,
    evidenced,
    fault,
  };
};

/** A P2 or P3 is kept without the false quote. For a P0 or P1, the quote is shown with the unverified claim. */
const isFalselyQuoted = ({ severity }: DraftFinding, evidenced: boolean, texts: SideTexts): boolean =>
  !evidenced && !isGrave(severity) && hasText(texts);

const hasText = (texts: SideTexts): boolean => texts.new !== null || texts.old !== null;

/** A fault in a P2 or P3 that does not block is no reason by itself to ask for a correction. */
const faultOf = (given: FaultyClaim, texts: SideTexts): ClaimFault | null => {
  const { claim, evidenced, said } = given;
  const blocks = isGrave(claim.severity) || isBlocking({ ...claim, relation: 'current_diff' });
  if (!blocks) {
    const isFalse = !evidenced && claim.evidence.trim() !== '' && hasText(texts);
    return isFalse ? { text: notQuoted(claim, texts), binding: false } : null;
  }
  if (!evidenced) return { text: notQuoted(claim, texts), binding: true };
  const isUntouched = isGrave(claim.severity) && claim.relation === 'outside_diff' && said !== 'outside_diff';
  return isUntouched ? { text: untouched(claim), binding: true } : null;
};

const suggestionOf = (claim: DraftFinding, quoted: QuotedPlace, texts: SideTexts): string | null => {
  const { place } = quoted;
  const lines = linesOf(texts.new ?? '', place);
  const suggestion =
    claim.suggestion === null ? null : plainSuggestion(claim.suggestion, { startLine: place.startLine, lines });
  return safeSuggestion({ suggestion, named: claim, quoted, text: texts.new });
};

/** Finds the path in the change or the tree; a diff prefix (`a/` or `b/`) and the redacted name of a changed file are accepted. */
const findPath = async (path: string, settling: Settling): Promise<string | null> => {
  const known = new Set(settling.diff.files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]));
  for (const candidate of [path, path.replace(/^[ab]\//, '')]) {
    if (known.has(candidate)) return candidate;
    const texts = await textsOf(candidate, settling);
    if (texts.new !== null || texts.old !== null) return candidate;
  }
  if (!path.includes(REDACTED)) return null;
  return [...known].find((each) => settling.redact(each).text === path) ?? null;
};

const textsOf = async (path: string, { diff, headText, baseText }: ClaimSources): Promise<SideTexts> => {
  const file = findFile(diff, path, 'new') ?? findFile(diff, path, 'old');
  return { new: await headText(file?.newPath ?? path), old: await baseText(file?.oldPath ?? path) };
};

type Read = {
  readonly kind: 'quoted' | 'line' | 'not_found';
  /** `evidence` is the quote as the file contains it. */
  readonly claim: DraftFinding;
};

const readEvidence = (claim: DraftFinding, texts: SideTexts, { redact }: Settling): Read => {
  for (const text of [texts[claim.side], texts.new, texts.old]) {
    const evidence = text === null ? null : findEvidence(claim.evidence, text, redact);
    if (evidence !== null) return { kind: 'quoted', claim: { ...claim, evidence } };
  }
  const around = linesAround(claim, texts, redact);
  return around === null ? { kind: 'not_found', claim } : { kind: 'line', claim: { ...claim, evidence: around } };
};

/** A quote that is too short to search for is accepted if it equals the whole line; the surrounding lines then become the evidence. */
const linesAround = (claim: DraftFinding, texts: SideTexts, redact: Redactor): string | null => {
  const text = texts[claim.side];
  const lines = text === null ? [] : text.replace(/\n$/, '').split('\n');
  const line = lines[claim.line - 1];
  if (line === undefined || !isLine(claim.evidence, line, redact)) return null;
  return redact(lines.slice(Math.max(0, claim.startLine - 2), claim.line + 1).join('\n')).text;
};

const MAX_EVIDENCE = 4_000;

const quotedPlace = ({ kind, claim }: Read, texts: SideTexts, { diff }: Settling): QuotedPlace => {
  if (kind === 'line' || claim.evidence.trim() === '') return { kind: 'there', place: placeOf(claim) };
  const isShown = ({ path, side, startLine, line }: Place): boolean => {
    const file = findFile(diff, path, side);
    return file !== null && hunksTouching(file, side, startLine, line).length > 0;
  };
  return placeByQuote(placeOf(claim), {
    quote: claim.evidence,
    texts,
    isShown,
    isRemoved: (at) => isChanged(diff, at),
  });
};

const placeOf = ({ path, side, startLine, line }: DraftFinding): Place => ({ path, side, startLine, line });

const inside = (place: Place, texts: SideTexts): Place => {
  const text = texts[place.side];
  if (text === null || text === '') return place;
  const last = text.replace(/\n$/, '').split('\n').length;
  return { ...place, startLine: Math.min(place.startLine, last), line: Math.min(place.line, last) };
};

const textAt = (place: Place, texts: SideTexts): string => linesOf(texts[place.side] ?? '', place).join('\n');

type Quotes = { readonly quotes: readonly PlacedQuote[]; readonly missing: ClaimFault | null };

/** A quote that is not in the claim's file may come from a changed line of another file, so the whole change is searched. */
const quotesOf = async ({ kind, claim }: Read, settling: Settling): Promise<Quotes> => {
  const { evidence, path, quotes = [] } = claim;
  const own = kind === 'not_found' ? readingsAnywhere(evidence) : [{ path, code: evidence }];
  const others: PlacedQuote[] = [];
  let missing: ClaimFault | null = null;
  for (const quote of quotes) {
    const at = await findPath(quote.path, settling);
    if (at !== null) others.push(...readingsAnywhere(quote.code).map(({ code }) => ({ path: at, code })));
    missing ??= await whyMissing(quote, at, settling);
  }
  return { quotes: [...own, ...others], missing };
};

/** A wrong supporting quote does not refute the claim, so by itself it is no reason to ask for a correction. */
const whyMissing = async (
  { path, line, code }: Quote,
  at: string | null,
  settling: Settling,
): Promise<ClaimFault | null> => {
  if (at === null) return { text: noSuchFile({ path }, settling.diff), binding: false };
  const texts = await textsOf(at, settling);
  const holds = [texts.new, texts.old].some((text) => text !== null && findEvidence(code, text, settling.redact));
  if (holds || !hasText(texts) || code.trim() === '') return null;
  return { text: notQuoted({ path: at, line: line ?? 1, evidence: code }, texts), binding: false };
};

const readingsAnywhere = (code: string): readonly PlacedQuote[] =>
  readQuotation(code).map((reading) => ({ path: null, code: reading.slice(0, MAX_EVIDENCE) }));
