/** The code around a finding, read from the finding's side of the change. Detected secrets are removed. */
import { redactSecrets } from '../../../shared/rules/secrets/secret-ranges.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { CodeFrame, ReviewOutput } from './review-output.ts';

type Placed = Pick<ReviewOutput['unverified'][number], 'path' | 'side' | 'startLine' | 'line'>;

/** Contract: the text of the file on that side of the change; null when it cannot be shown. */
export type ReadCode = (place: Pick<Placed, 'path' | 'side'>, signal: AbortSignal) => Promise<string | null>;

/** Lines before and after the place. */
const NEIGHBOURS = 2;
/** If the place has more lines, only its beginning is shown. */
const MAX_LINES = 12;
const MAX_LINE_LENGTH = 400;

/** Null when the file does not have that line. */
export const frameOf = (text: string, { startLine, line }: Pick<Placed, 'startLine' | 'line'>): CodeFrame | null => {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  if (startLine > lines.length) return null;
  const first = Math.max(1, startLine - NEIGHBOURS);
  const last = Math.min(lines.length, line + NEIGHBOURS, first + MAX_LINES - 1);
  return { startLine: first, lines: lines.slice(first - 1, last).map((each) => each.slice(0, MAX_LINE_LENGTH)) };
};

export type CodeOf = (place: Placed) => CodeFrame | null;

/** Reads each file once. */
export const loadCode = async (places: readonly Placed[], readCode: ReadCode, signal: AbortSignal): Promise<CodeOf> => {
  const texts = new Map<string, string | null>();
  for (const place of places)
    if (!texts.has(keyOf(place))) texts.set(keyOf(place), await safeText(place, readCode, signal));
  return (place) => {
    const text = texts.get(keyOf(place)) ?? null;
    return text === null ? null : frameOf(text, place);
  };
};

const keyOf = ({ side, path }: Placed): string => `${side} ${path}`;

export const withCode = async (
  output: ReviewOutput,
  readCode: ReadCode,
  signal: AbortSignal,
): Promise<ReviewOutput> => {
  const { findings, unverified } = output;
  const codeOf = await loadCode([...findings, ...unverified], readCode, signal);
  return {
    ...output,
    findings: findings.map((finding) => ({ ...finding, code: codeOf(finding) })),
    unverified: unverified.map((finding) => ({ ...finding, code: codeOf(finding) })),
  };
};

/**
 * Removes secrets. Removing a secret of several lines would shift the lines after it, so no code is shown in this case.
 */
const safeText = async (place: Placed, readCode: ReadCode, signal: AbortSignal): Promise<string | null> => {
  const text = await readCode(place, signal);
  if (text === null) return null;
  const safe = await redactSecrets(text, signal);
  return countLines(safe) === countLines(text) ? safe : null;
};

const countLines = (text: string): number => text.split('\n').length;

type Ends = { readonly revisions: Revisions; readonly head: CommitSha; readonly base: CommitSha | null };

const MAX_BYTES = 1024 * 1024;

/** Reads the new side at the head and the old side at the base. */
export const readEnds =
  ({ revisions, head, base }: Ends): ReadCode =>
  async ({ path, side }, signal) => {
    const commit = side === 'new' ? head : base;
    if (commit === null) return null;
    const content = await revisions.readFile({ commit, path, maxBytes: MAX_BYTES }, signal);
    return content.kind === 'text' ? content.text : null;
  };
