/** What a finding's own comment says and suggests, read back from the comment. */
import { stripMarkers } from '../text/marker.ts';
import { removeBreaks } from '../text/break-points.ts';
import type { Thread } from './history.ts';

const BLOCK = /^(`{3,})suggestion(?::-\d{1,4}\+\d{1,4})?\n([^]*?)^\1$/m;
/** Where the forge has no such blocks: the words in front of it are ours. */
const INSTEAD = /^(?:Instead of lines? \d+(?: to \d+)?|Suggested instead):\n+(`{3,})[a-z0-9]*\n([^]*?)^\1$/m;

/** Undefined when there is none. */
export const suggestionOf = ({ comment }: Pick<Thread, 'comment'>): string | undefined => {
  const body = (comment?.body ?? '').replaceAll('\r\n', '\n');
  const found = BLOCK.exec(body)?.[2] ?? INSTEAD.exec(body)?.[2];
  return found === undefined ? undefined : removeBreaks(found.replace(/\n$/, ''));
};

const commentText = ({ comment }: Pick<Thread, 'comment'>): string =>
  removeBreaks(stripMarkers(comment?.body ?? '').replaceAll('\r\n', '\n'));

/** Without headline and suggestion; empty when there is no comment. */
export const bodyOf = (thread: Pick<Thread, 'comment'>): string => {
  const text = commentText(thread).replace(BLOCK, '').replace(INSTEAD, '');
  const [, ...sections] = text.split('\n\n');
  return sections
    .filter((section) => !/^(?:Rule: `|This brings back F-)/.test(section))
    .join('\n\n')
    .trim();
};
