/** How much of a change was looked at. */
import { z } from 'zod';
import { FileReceipt, ReceiptTotal, UnknownLanguage } from './receipts.ts';

export const OmittedFile = z.object({ path: z.string(), reason: z.string() });
export type OmittedFile = z.output<typeof OmittedFile>;

/**
 * `complete` is false as soon as one file that should have been reviewed was not. Exclusions by name, by the operator and of
 * binary files do not count.
 */
export const Coverage = z.object({
  files: z.number().int().nonnegative(),
  reviewed: z.number().int().nonnegative(),
  omitted: z.array(OmittedFile),
  complete: z.boolean(),
  /** Who looked at the lines, per kind and language; absent where nobody counted. */
  receipts: z.array(ReceiptTotal).optional(),
  /** The same for each line of the change. */
  lines: z.array(FileReceipt).optional(),
  /** Languages that no rule knows, in a review without a model; such a review is complete, and no pass. Absent: none. */
  unknownLanguages: z.array(UnknownLanguage).optional(),
  /** True: every file of the change is excluded, not all by the operator: such a review is complete, and no pass. */
  onlyExcluded: z.literal(true).optional(),
});
export type Coverage = z.output<typeof Coverage>;
