import type { OmittedFile } from '../../vocabulary/coverage.ts';
import { annotateWhole } from './annotate-whole.ts';
import { annotateFile } from './annotate-file.ts';
import type { DiffFile } from '../model.ts';
import { compareForReview } from './review-order.ts';

export type AnnotateOptions = {
  readonly maxBytes: number;
  /** New paths that have priority if not everything fits, such as files with open threads. */
  readonly first?: ReadonlySet<string>;
};

export type Annotated = {
  readonly text: string;
  /** The new paths of the annotated files, in the order of the diff. */
  readonly reviewed: readonly string[];
  readonly omitted: readonly OmittedFile[];
};

const leastBytes = (file: DiffFile): number => {
  let bytes = 0;
  for (const hunk of file.hunks) bytes += hunk.bodyEnd - hunk.bodyStart;
  return bytes;
};

type Fitted = { readonly texts: ReadonlyMap<DiffFile, string>; readonly omitted: readonly OmittedFile[] };

/** Annotates whole files, ordered by priority (`compareForReview`), while they fit; names each omitted file with the reason. */
export const annotate = (files: readonly DiffFile[], options: AnnotateOptions): Annotated => {
  const whole = files.every((file) => file.complete) ? annotateWhole(files, options.maxBytes) : null;
  if (whole !== null) return { text: whole, reviewed: files.map((file) => file.newPath), omitted: [] };
  const { texts, omitted } = fitFiles(files, options);
  const shown = files.filter((file) => texts.has(file));
  return {
    text: shown.map((file) => texts.get(file) ?? '').join('\n'),
    reviewed: shown.map((file) => file.newPath),
    omitted,
  };
};

const fitFiles = (files: readonly DiffFile[], options: AnnotateOptions): Fitted => {
  const texts = new Map<DiffFile, string>();
  const reasons = new Map<DiffFile, string>();
  let left = options.maxBytes;
  for (const file of files.toSorted(compareForReview(options.first ?? new Set()))) {
    const attempt = annotateWithin(file, left);
    if (typeof attempt === 'string') {
      texts.set(file, attempt);
      left -= Buffer.byteLength(attempt) + 1;
    } else reasons.set(file, attempt.reason);
  }
  const omitted = files.flatMap((file) => {
    const reason = reasons.get(file);
    return reason === undefined ? [] : [{ path: file.newPath, reason }];
  });
  return { texts, omitted };
};

const annotateWithin = (file: DiffFile, maxBytes: number): string | { readonly reason: string } => {
  if (!file.complete) return { reason: 'the diff does not contain the content of the file' };
  const least = leastBytes(file);
  if (least > maxBytes) return tooLarge(least, maxBytes);
  const text = annotateFile(file);
  const bytes = Buffer.byteLength(text) + 1;
  return bytes > maxBytes ? tooLarge(bytes, maxBytes) : text;
};

const tooLarge = (bytes: number, left: number): { readonly reason: string } => ({
  reason: `the file needs at least ${bytes} bytes, but only ${Math.max(left, 0)} bytes of the diff budget are left`,
});
