/**
 * Writes and parses the comment of a finding. The comment consists of a note about the closure, the headline, the
 * reviewer's text, suggested code, and the small print.
 */
import { removeBreaks } from '../../text/break-points.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { Severity } from '../../vocabulary/finding.ts';
import { SEVERITY_WORDS, severityWord } from '../../vocabulary/severity-words.ts';
import { stripMarkers } from './marker.ts';

export type FindingComment = {
  readonly severity: Severity;
  readonly title: string;
  readonly regressionOf: FindingId | null;
  readonly body: string;
};

export const findingHeadline = ({ severity, title }: Pick<FindingComment, 'severity' | 'title'>): string =>
  `**${severityWord(severity)}: ${title.replaceAll(/\s+/g, ' ')}**`;

const HEADLINE = new RegExp(`^\\*\\*(?:${Object.values(SEVERITY_WORDS).join('|')}): `);

export const renderFinding = (finding: FindingComment): string => {
  const { regressionOf, body } = finding;
  const head = [
    findingHeadline(finding),
    ...(regressionOf === null ? [] : [`This finding brings back ${regressionOf}, which was resolved.`]),
  ];
  return [head.join('\n'), body].filter((part) => part !== '').join('\n\n');
};

export type SmallPrint = {
  readonly id: FindingId;
  readonly blocking: boolean;
  /** Who found the problem, such as `the rule …`. */
  readonly by: string;
  /** The command that dismisses the finding, as a code span. */
  readonly dismiss: string;
};

/** Writes the last line of the comment, which contains what people need for commands. */
export const smallPrint = ({ id, blocking, by, dismiss }: SmallPrint): string =>
  `_\`${id}\` · ${blocking ? 'to fix before merging' : 'a suggestion'} · found by ${by} · reply to discuss, or ${dismiss}_`;

const SMALL_PRINT = /^_`F-\d{3,6}` · .*_$/;

/** Returns the comment without its small print, for example when its finding is closed. */
export const withoutSmallPrint = (body: string): string =>
  body
    .split('\n')
    .filter((line) => !SMALL_PRINT.test(line))
    .join('\n')
    .trimEnd();

/** Introduces suggested code that has no apply button. `first` and `last`: the replaced lines, counted from 1. */
export const insteadOf = (first: number, last: number): string =>
  first === last ? `Instead of line ${last}:` : `Instead of lines ${first} to ${last}:`;

/** The text in place of a suggestion that only deletes lines. */
export const withoutLines = (first: number, last: number): string =>
  first === last ? `Without line ${last}.` : `Without lines ${first} to ${last}.`;

const WITHOUT = /^Without lines? \d+(?: to \d+)?\.$/;
const SUGGESTED = 'Suggested instead:';
const INSTEAD = /^(?:Instead of lines? \d+(?: to \d+)?|Suggested instead):$/;
const BLOCK = /^(`{3,})suggestion(?::-\d{1,4}\+\d{1,4})?$/;

/** Turns the suggestion of a closed finding into plain code, which `readFinding` can still parse. */
export const withoutButton = (body: string): string =>
  body.replace(new RegExp(BLOCK.source, 'm'), `${SUGGESTED}\n\n$1`);

export type ReadFinding = {
  /** The reviewer's text, including code. Empty if there is none. */
  readonly body: string;
  /** The text before the first code block. */
  readonly prose: string;
  readonly suggestion: string | undefined;
};

export const readFinding = (comment: { readonly body: string } | null): ReadFinding => {
  const text = withoutSmallPrint(removeBreaks(stripMarkers(comment?.body ?? '').replaceAll('\r\n', '\n')));
  const lines = behindHeadline(text).split('\n');
  const found = suggestionIn(lines);
  const without = found === null ? lines : [...lines.slice(0, found.first), '', ...lines.slice(found.last + 1)];
  const body = without
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return { body, prose: proseOf(body), suggestion: found?.code };
};

/** If no headline is found, the first paragraph is treated as the headline. */
const behindHeadline = (text: string): string => {
  const paragraphs = text.split('\n\n');
  const at = paragraphs.findIndex((paragraph) => HEADLINE.test(paragraph));
  return paragraphs.slice(Math.max(0, at) + 1).join('\n\n');
};

const proseOf = (body: string): string => {
  const paragraphs = body.split('\n\n');
  const end = paragraphs.findIndex((paragraph) => /^(?:`{3}|~{3})/.test(paragraph));
  return paragraphs.slice(0, end < 0 ? paragraphs.length : end).join('\n\n');
};

/** `first` and `last`: indexes of the two fence lines. */
type Block = { readonly first: number; readonly last: number };

/** Returns closed code blocks that are not nested. An unclosed block extends to the end and is not returned. */
const blocksOf = (lines: readonly string[]): readonly Block[] => {
  const blocks: Block[] = [];
  for (let first = 0; first < lines.length; first++) {
    const [, fence] = /^(`{3,}|~{3,})[^`]*$/.exec(lines[first] ?? '') ?? [];
    if (fence === undefined) continue;
    const last = closedAt(lines, first + 1, fence);
    if (last === null) break;
    blocks.push({ first, last });
    first = last;
  }
  return blocks;
};

/** Finds the closing fence: the same character, at least as long, with nothing after it. */
const closedAt = (lines: readonly string[], from: number, fence: string): number | null => {
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').trimEnd();
    if (line.startsWith(fence) && line === line.charAt(0).repeat(line.length)) return at;
  }
  return null;
};

/** `first` and `last`: indexes of the first and last line, including the introduction and both fences. */
type Found = Block & { readonly code: string };

/** The suggestion is the last block, because the text before it may quote other code. */
const suggestionIn = (lines: readonly string[]): Found | null => {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  if (WITHOUT.test(lines[end] ?? '')) return { first: end, last: end, code: '' };
  const block = blocksOf(lines).at(-1);
  if (block === undefined) return null;
  const code = lines.slice(block.first + 1, block.last).join('\n');
  if (BLOCK.test(lines[block.first] ?? '')) return { ...block, code };
  let before = block.first - 1;
  while (lines[before] === '') before -= 1;
  return INSTEAD.test(lines[before] ?? '') ? { first: before, last: block.last, code } : null;
};
