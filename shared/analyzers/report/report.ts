/** What all formats of reports are read into. Nothing in it is trusted: the report may contain what a change wrote. */
import type { AnalyzerLevel } from '../../vocabulary/analyzer.ts';

export type AnalyzerResult = {
  /** Relative to the root of the tree, normalised: without `.`, `..`, a leading slash or control characters. */
  readonly path: string;
  /** Lines count from 1. A result about the whole file is on line 1. The file may be shorter. */
  readonly startLine: number;
  readonly endLine: number;
  /** The tool's own id, only of the characters `A-Za-z0-9@._/:+-`; `unnamed` if the report names none. */
  readonly rule: string;
  readonly level: AnalyzerLevel;
  readonly message: string;
  /** The rule's description; empty if the report has none. */
  readonly help: string;
  /** True if a comment in the source silences the result. */
  readonly suppressed: boolean;
  /** The numbers of the weaknesses (CWE) that the report names. Absent if it names none. */
  readonly cwes?: readonly number[];
};

export type Report = {
  readonly kind: 'report';
  readonly results: readonly AnalyzerResult[];
  /** Number of results whose path is not inside the tree, or that name no file. */
  readonly outside: number;
};

export type ReportReading =
  | Report
  /** `reason`: the rest of a sentence that begins with the name of the analyzer. It quotes nothing that may be long or secret. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Where the report was made. */
export type ReportPlace = {
  /** Absolute folders that stand for the root of the tree. */
  readonly roots: readonly string[];
  /** `owner/name`: an absolute folder that ends with this path stands for the root too. */
  readonly project?: string | null;
};

/** A rule is rarely about more than three weaknesses. */
export const MAX_CWES = 10;

export const MAX_REPORT_BYTES = 32 * 1024 * 1024;
export const MAX_RESULTS = 50_000;

export const unreadableReport = (reason: string): ReportReading & { readonly kind: 'unreadable' } => ({
  kind: 'unreadable',
  reason,
});

/** A result as a format has it, before its path and lines are checked. */
export type RawResult = Pick<AnalyzerResult, 'rule' | 'level' | 'message' | 'help' | 'suppressed' | 'cwes'> & {
  /** Null if the result names no file, or one that is certainly not in the tree. */
  readonly path: string | null;
  /** Null, zero and negative values: the whole file. */
  readonly startLine: number | null;
  readonly endLine: number | null;
  /** True if the end is before the first column of `endLine`, so that this line is not part of the result. */
  readonly endsBefore: boolean;
};
