/** Describes which part of a change was reviewed. */
import { z } from 'zod';
import { FailedAnalyzer } from './analyzer.ts';
import { FileReceipt, ReceiptTotal, UnknownLanguage } from './receipts.ts';

export const OmittedFile = z.object({ path: z.string(), reason: z.string() });
export type OmittedFile = z.output<typeof OmittedFile>;

/** In place of a path, if nothing counts as reviewed. */
export const WHOLE_CHANGE = '(the whole change)';

/** In place of a path, if it is not known which files were left out. */
export const SEVERAL_FILES = '(several files)';

/** `complete` is false if a file was not reviewed, except for binary files and files excluded by name or by the operator. */
export const Coverage = z.object({
  files: z.number().int().nonnegative(),
  reviewed: z.number().int().nonnegative(),
  omitted: z.array(OmittedFile),
  complete: z.boolean(),
  /**
   * The files and folders that were not reviewed (`leftEntries`). Absent unless everything that was left out can be
   * named.
   */
  left: z.array(z.string()).readonly().optional(),
  /** The part of `left` that another review can cover. Absent if there is nothing. */
  askFor: z.array(z.string()).readonly().optional(),
  /** Paths that the reviewer reported as not reviewed although the change does not contain them. Absent if there are none. */
  notOfChange: z.array(z.string()).optional(),
  /** Who reviewed the lines, per kind and language. Absent if this was not determined. */
  receipts: z.array(ReceiptTotal).optional(),
  /** Who reviewed the lines, per line. */
  lines: z.array(FileReceipt).optional(),
  /** Languages without rules in a review without a model, unless an analyzer knows them. Such a review is complete but does not pass. Absent if there are none. */
  unknownLanguages: z.array(UnknownLanguage).optional(),
  /** Set if every file is excluded, but not all by the operator. Such a review is complete but does not pass. */
  onlyExcluded: z.literal(true).optional(),
  /** The operator's analyzers that did not check the change. Such a review is complete but does not pass. Absent if there are none. */
  analyzers: z.array(FailedAnalyzer).optional(),
});
export type Coverage = z.output<typeof Coverage>;

/** The first entry of each path, in the order of the entries. */
export const onePerPath = (files: readonly OmittedFile[]): readonly OmittedFile[] => {
  const first = new Map<string, OmittedFile>();
  for (const file of files) if (!first.has(file.path)) first.set(file.path, file);
  return [...first.values()];
};
