import { isCodeLine, isProseFile } from '../../../shared/diff/code-line.ts';
import { findFile } from '../../../shared/diff/position/find-file.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import { findEvidence } from '../../../shared/text/normalise-evidence.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { Quote, Severity } from '../../../shared/vocabulary/finding.ts';
import type { Packet } from '../packet/packet.ts';

type Sources = Pick<Packet, 'diff' | 'headText' | 'baseText'> & { readonly redact: Redactor };

/** Shorter code occurs in many places. White space does not count. */
const MIN_QUOTE = 8;

const isCode = ({ path, code }: Quote): boolean =>
  !isProseFile(path) && code.split('\n').some(isCodeLine) && code.replaceAll(/\s/g, '').length >= MIN_QUOTE;

/**
 * Tells whether the quote may refute a claim of this severity. Only code refutes. For a P0 or P1 it must stand at the base too:
 * the author of the change could have written anything else in order to refute the claim.
 */
export const mayRefute = async (
  quote: Quote | null,
  { severity }: { readonly severity: Severity },
  { diff, headText, baseText, redact }: Sources,
): Promise<boolean> => {
  if (quote === null || !isCode(quote)) return false;
  const file = findFile(diff, quote.path, 'new') ?? findFile(diff, quote.path, 'old');
  const stands = (text: string | null): boolean => text !== null && findEvidence(quote.code, text, redact) !== null;
  if (!stands(await headText(file?.newPath ?? quote.path))) return false;
  return !isGrave(severity) || stands(await baseText(file?.oldPath ?? quote.path));
};
