import { readQuotation } from './printed-quotation.ts';
import type { Redactor } from './redact.ts';
import { showHidden } from './visible.ts';

/**
 * Minimum length of a quotation, without white space. A shorter quotation, such as a single bracket, occurs in every
 * file and proves nothing.
 */
const MIN_EVIDENCE = 3;

/** Returns the text as the reviewer saw it (redacted, hidden characters visible), with single spaces. */
const normalise = (text: string, redact: Redactor): string => showHidden(redact(text).text).replace(/\s+/g, ' ').trim();

/** Whether a quotation is long enough to identify its source. */
export const isTelling = (quotation: string): boolean =>
  quotation.replaceAll(' ', '').length >= MIN_EVIDENCE && /[\p{L}\p{N}]/u.test(quotation);

/** Prepares one file for many quotations. */
export const prepareEvidence = (fileText: string, redact: Redactor): ((quotation: string) => boolean) => {
  const file = normalise(fileText, redact);
  return (quotation) => {
    const quoted = normalise(quotation, redact);
    return isTelling(quoted) && file.includes(quoted);
  };
};

/**
 * Redacts file and quotation, because the reviewer never saw the secrets. False if the quotation has no letter or
 * digit.
 */
export const evidenceHolds = (quotation: string, fileText: string, redact: Redactor): boolean =>
  prepareEvidence(fileText, redact)(quotation);

/** Returns the quotation as the file contains it: as written, or without line numbers, signs and fences. Null if neither matches. */
export const findEvidence = (quotation: string, fileText: string, redact: Redactor): string | null => {
  const holds = prepareEvidence(fileText, redact);
  return readQuotation(quotation).find(holds) ?? null;
};

/** Whether a quotation that is too short to identify its source, such as a bracket, equals the whole line. */
export const isLine = (quotation: string, line: string, redact: Redactor): boolean =>
  readQuotation(quotation).some(
    (reading) => !isTelling(normalise(reading, redact)) && normalise(reading, redact) === normalise(line, redact),
  );
