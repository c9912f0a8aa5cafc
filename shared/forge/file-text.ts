/** Reads a file from a forge's response, which contains it as base64 in JSON. */
import { AppError } from '../errors.ts';
import { hasForgeCode } from './errors.ts';
import type { FileText } from './port-owners.ts';

/** True if the response was longer than the limit. */
export const isTooLarge = (error: unknown): boolean =>
  hasForgeCode(error, 'FORGE_BAD_ANSWER') && error instanceof AppError && error.fields['reason'] === 'size';

/** Returns null when the file does not exist. A response over the size limit counts as a file that is too large. */
export const readFileText = async (
  maxBytes: number,
  fetchBase64: () => Promise<{ readonly size: number; readonly base64: string | null }>,
): Promise<FileText | null> => {
  try {
    const { size, base64 } = await fetchBase64();
    if (size > maxBytes) return { kind: 'too_large' };
    return base64 === null ? { kind: 'not_text' } : decode(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return null;
    if (isTooLarge(error)) return { kind: 'too_large' };
    throw error;
  }
};

const decode = (bytes: Uint8Array): FileText => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { kind: 'not_text' } : { kind: 'text', text };
  } catch {
    // The decoder throws only for bytes that are not UTF-8.
    return { kind: 'not_text' };
  }
};
