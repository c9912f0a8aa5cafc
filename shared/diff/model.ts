/**
 * Raw bytes as a string with one character per byte: comparing two of them compares bytes, whatever the encoding. The
 * types below describe a diff as git prints it. Lines end at LF only; everything else, CR included, is content.
 */
export type ByteString = string & { readonly __brand: 'ByteString' };

export type FileStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type_changed';

/**
 * Starts count from 1. For a side without lines, `start` is the line before the gap (0: top of the file).
 * `source` holds the `@@` line from `headerStart` and the lines between `bodyStart` and `bodyEnd`; see `hunkLines`.
 */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** The heading after the second `@@`, without the space; often the enclosing function. */
  readonly section: string;
  readonly source: Buffer;
  readonly headerStart: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** 1, or the number of parents in a combined diff, whose old numbers are those of the first parent. */
  readonly parents: number;
};

export type DiffFile = {
  /** Decoded as UTF-8 with replacement characters. Equals `newPath` when the file was added. */
  readonly oldPath: string;
  /** Equals `oldPath` when the file was deleted. */
  readonly newPath: string;
  readonly oldPathRaw: ByteString;
  readonly newPathRaw: ByteString;
  readonly status: FileStatus;
  /** Added and removed lines as `git diff --numstat` counts them; 0 for binary files. */
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  /** Six octal digits; null when the side does not exist or the diff does not contain it. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Object ids, as long as in the diff; null when the side does not exist or the diff does not contain them. */
  readonly oldBlob: string | null;
  readonly newBlob: string | null;
  /** Percent, from `similarity index` or 100 minus `dissimilarity index`. */
  readonly similarity: number | null;
  readonly rewritten: boolean;
  readonly hunks: readonly Hunk[];
  /** The literal or delta blocks after `GIT binary patch`, verbatim. */
  readonly binaryPatch: Buffer | null;
  readonly parents: number;
  /** False when hunks are missing: `git diff -D` or `-w` can omit the content of a creation, deletion or rename. */
  readonly complete: boolean;
  /** Line of the file header in the input, counted from 1. */
  readonly inputLine: number;
};

export type Diff = { readonly files: readonly DiffFile[] };

export type HunkLine = {
  readonly kind: 'context' | 'added' | 'removed';
  readonly oldLine: number | null;
  readonly newLine: number | null;
  /** Without LF; a CR before it is kept. Bytes that are not UTF-8 become replacement characters. */
  readonly text: string;
  readonly noNewlineAtEnd: boolean;
};
