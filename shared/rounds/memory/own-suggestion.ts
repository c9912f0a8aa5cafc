/** What a finding's own comment says and suggests, read back from the comment. */
import { stripMarkers } from './marker.ts';
import { removeBreaks } from '../../text/break-points.ts';
import type { Thread } from '../model/history.ts';

const BLOCK = /^(`{3,})suggestion(?::-\d{1,4}\+\d{1,4})?$/;
/** Where the forge has no such blocks: the words in front of it are ours. */
const INSTEAD = /^(?:Instead of lines? \d+(?: to \d+)?|Suggested instead):$/;
const FENCE = /^(`{3,})[a-z0-9]*$/;

/** `first` and `last`: its lines, what introduces it and both fences included. */
type Found = { readonly first: number; readonly last: number; readonly code: string };

/** Contract: the fence that an opener at this line begins, and the line behind it; null for none. */
type Opener = (lines: readonly string[], at: number) => { readonly fence: string; readonly from: number } | null;

const blockAt: Opener = (lines, at) => {
  const [, fence] = BLOCK.exec(lines[at] ?? '') ?? [];
  return fence === undefined ? null : { fence, from: at + 1 };
};

const insteadAt: Opener = (lines, at) => {
  if (!INSTEAD.test(lines[at] ?? '')) return null;
  let fenceAt = at + 1;
  while (lines[fenceAt] === '') fenceAt += 1;
  const [, fence] = FENCE.exec(lines[fenceAt] ?? '') ?? [];
  return fence === undefined ? null : { fence, from: fenceAt + 1 };
};

/** The first one that is closed. Where a fence stands last is looked up: quoted code may hold thousands of openers. */
const find = (lines: readonly string[], opener: Opener): Found | null => {
  const lastAt = new Map(lines.flatMap((line, at) => (line.startsWith('```') ? [[line, at] as const] : [])));
  for (const first of lines.keys()) {
    const open = opener(lines, first);
    if (open === null || (lastAt.get(open.fence) ?? -1) < open.from) continue;
    const last = lines.indexOf(open.fence, open.from);
    return { first, last, code: lines.slice(open.from, last).join('\n') };
  }
  return null;
};

/** Undefined when there is none. */
export const suggestionOf = ({ comment }: Pick<Thread, 'comment'>): string | undefined => {
  const body = (comment?.body ?? '').replaceAll('\r\n', '\n');
  const lines = body.split('\n');
  const found = find(lines, blockAt) ?? find(lines, insteadAt);
  return found === null ? undefined : removeBreaks(found.code);
};

const without = (lines: readonly string[], opener: Opener): readonly string[] => {
  const found = find(lines, opener);
  return found === null ? lines : [...lines.slice(0, found.first), '', ...lines.slice(found.last + 1)];
};

const commentText = ({ comment }: Pick<Thread, 'comment'>): string =>
  removeBreaks(stripMarkers(comment?.body ?? '').replaceAll('\r\n', '\n'));

/** Without headline and suggestion; empty when there is no comment. */
export const bodyOf = (thread: Pick<Thread, 'comment'>): string => {
  const text = without(without(commentText(thread).split('\n'), blockAt), insteadAt).join('\n');
  const [, ...sections] = text.split('\n\n');
  return sections
    .filter((section) => !/^(?:Rule: `|This brings back F-)/.test(section))
    .join('\n\n')
    .trim();
};
