import { readQuotation } from './printed-quotation.ts';
import type { Redactor } from './redact.ts';
import { showHidden } from './visible.ts';

/** A shorter quotation proves nothing: a single bracket is in every file. White space does not count. */
const MIN_EVIDENCE = 3;

/** The text as the reviewer saw it (redacted, hidden characters visible), with single spaces. */
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

/** Redacts both texts, because the reviewer never saw the secrets. False when the quotation has no letter or digit. */
export const evidenceHolds = (quotation: string, fileText: string, redact: Redactor): boolean =>
  prepareEvidence(fileText, redact)(quotation);

/** The form of the quotation that the file contains: as written, or without line numbers, signs and fences. Null when neither. */
export const findEvidence = (quotation: string, fileText: string, redact: Redactor): string | null => {
  const holds = prepareEvidence(fileText, redact);
  return readQuotation(quotation).find(holds) ?? null;
};

/** For quotations too short to identify their source, such as a bracket: whether the quotation equals the whole line. */
export const isLine = (quotation: string, line: string, redact: Redactor): boolean =>
  readQuotation(quotation).some(
    (reading) => !isTelling(normalise(reading, redact)) && normalise(reading, redact) === normalise(line, redact),
  );
