import { readQuotation } from './printed-quotation.ts';
import type { Redactor } from './redact.ts';
import { showHidden } from './visible.ts';

/** Fewer characters than this, blanks aside, prove nothing: a lone bracket stands in every file. */
const MIN_EVIDENCE = 3;

/** As the reviewer saw it (redacted, hidden characters shown), with every run of white space as one blank. */
const normalise = (text: string, redact: Redactor): string => showHidden(redact(text).text).replace(/\s+/g, ' ').trim();

/** Whether a quotation says by itself where it comes from. */
export const isTelling = (quotation: string): boolean =>
  quotation.replaceAll(' ', '').length >= MIN_EVIDENCE && /[\p{L}\p{N}]/u.test(quotation);

/** Prepares one file for many quotations. The result says whether a quotation stands in it. */
export const prepareEvidence = (fileText: string, redact: Redactor): ((quotation: string) => boolean) => {
  const file = normalise(fileText, redact);
  return (quotation) => {
    const quoted = normalise(quotation, redact);
    return isTelling(quoted) && file.includes(quoted);
  };
};

/**
 * Whether a quotation stands in a file, after redacting both (the reviewer never saw the secrets) and normalising
 * white space. An empty quotation, or one without a letter or digit, holds nowhere.
 */
export const evidenceHolds = (quotation: string, fileText: string, redact: Redactor): boolean =>
  prepareEvidence(fileText, redact)(quotation);

/**
 * The reading of a quotation that stands in the file, or null: as it was written, else without the line numbers, signs
 * and fences with which our own output prints code.
 */
export const findEvidence = (quotation: string, fileText: string, redact: Redactor): string | null => {
  const holds = prepareEvidence(fileText, redact);
  return readQuotation(quotation).find(holds) ?? null;
};

/**
 * Whether a quotation too short to tell where it comes from is all of that line: a lone bracket, or a blank. It counts
 * together with the number of the line.
 */
export const isLine = (quotation: string, line: string, redact: Redactor): boolean =>
  readQuotation(quotation).some(
    (reading) => !isTelling(normalise(reading, redact)) && normalise(reading, redact) === normalise(line, redact),
  );
