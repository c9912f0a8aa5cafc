/**
 * Raw bytes as a string with one character per byte: comparing two such strings compares bytes, whatever the encoding. The
 * types below describe a diff as git prints it. Lines end only at LF; everything else, including CR, is content.
 */
export type ByteString = string & { readonly __brand: 'ByteString' };

export type FileStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type_changed';

/**
 * Line numbers count from 1. For a side without lines, `start` is the line before the gap (0: top of the file). `source`
 * contains the `@@` line from `headerStart` and the lines between `bodyStart` and `bodyEnd`; see `hunkLines`.
 */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** The heading after the second `@@`, without the space; often this is the enclosing function. */
  readonly section: string;
  readonly source: Buffer;
  readonly headerStart: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** 1, or the number of parents in a combined diff. Its old line numbers are those of the first parent. */
  readonly parents: number;
};

export type DiffFile = {
  /** Decoded as UTF-8 with replacement characters. Equals `newPath` if the file was added. */
  readonly oldPath: string;
  /** Equals `oldPath` if the file was deleted. */
  readonly newPath: string;
  readonly oldPathRaw: ByteString;
  readonly newPathRaw: ByteString;
  readonly status: FileStatus;
  /** Number of added and removed lines as `git diff --numstat` counts them; 0 for binary files. */
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  /** Six octal digits; null if the side does not exist or the diff does not contain its mode. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Object ids in the same length as in the diff; null if the side does not exist or the diff does not contain its id. */
  readonly oldBlob: string | null;
  readonly newBlob: string | null;
  /** Similarity in percent, from `similarity index` or as 100 minus `dissimilarity index`. */
  readonly similarity: number | null;
  readonly rewritten: boolean;
  readonly hunks: readonly Hunk[];
  /** The literal or delta blocks after `GIT binary patch`, verbatim. */
  readonly binaryPatch: Buffer | null;
  readonly parents: number;
  /** False if hunks are missing: `git diff -D` or `-w` can omit the content of a creation, deletion or rename. */
  readonly complete: boolean;
  /** Line of the file header in the input, counted from 1. */
  readonly inputLine: number;
};

export type Diff = { readonly files: readonly DiffFile[] };

export type HunkLine = {
  readonly kind: 'context' | 'added' | 'removed';
  readonly oldLine: number | null;
  readonly newLine: number | null;
  /** The line without its LF; a CR before the LF is kept. Bytes that are not UTF-8 become replacement characters. */
  readonly text: string;
  readonly noNewlineAtEnd: boolean;
};
