/** Which part of a change was reviewed. */
import { z } from 'zod';
import { FileReceipt, ReceiptTotal, UnknownLanguage } from './receipts.ts';

export const OmittedFile = z.object({ path: z.string(), reason: z.string() });
export type OmittedFile = z.output<typeof OmittedFile>;

/** `complete`: false when a file was not reviewed, except binary files and files excluded by name or by the operator. */
export const Coverage = z.object({
  files: z.number().int().nonnegative(),
  reviewed: z.number().int().nonnegative(),
  omitted: z.array(OmittedFile),
  complete: z.boolean(),
  /** Who reviewed the lines, per kind and language. Absent when this was not counted. */
  receipts: z.array(ReceiptTotal).optional(),
  /** The same per line. */
  lines: z.array(FileReceipt).optional(),
  /** Languages without rules in a review without a model, which then is complete but does not pass. Absent when none. */
  unknownLanguages: z.array(UnknownLanguage).optional(),
  /** Set when every file is excluded, not all by the operator. Such a review is complete but does not pass. */
  onlyExcluded: z.literal(true).optional(),
});
export type Coverage = z.output<typeof Coverage>;
