/** Finds the earlier finding whose applied suggestion produced the lines that a new finding is about. */
import type { CheckedFinding } from '../../../shared/rounds/model/draft.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';

type Sources = Pick<Packet, 'openThreads' | 'closedThreads' | 'headText'>;

/** Minimum number of characters other than white space, because shorter code occurs in many places. */
const MIN_SUGGESTION = 8;

export const suggestedBy = async (
  claim: DraftFinding,
  { openThreads, closedThreads, headText }: Sources,
): Promise<Pick<CheckedFinding, 'suggestedBy'>> => {
  if (claim.rule !== null || claim.side === 'old') return {};
  const threads = [...closedThreads, ...openThreads].filter((thread) => isIn(thread, claim.path));
  const lines = threads.length === 0 ? [] : ((await headText(claim.path)) ?? '').split('\n').map(trimEnd);
  const own = threads.findLast(({ suggestion = '' }) => holds(lines, suggestion.split('\n').map(trimEnd), claim));
  return own === undefined ? {} : { suggestedBy: own.id };
};

const trimEnd = (line: string): string => line.trimEnd();

const isIn = ({ suggestion = '', now, place }: PacketThread, path: string): boolean =>
  suggestion.replaceAll(/\s/g, '').length >= MIN_SUGGESTION && (now?.path ?? place.path) === path;

const holds = (lines: readonly string[], wanted: readonly string[], { startLine, line }: DraftFinding): boolean => {
  const from = Math.max(0, line - wanted.length);
  for (let first = from; first <= startLine - 1; first += 1) {
    if (wanted.every((text, offset) => lines[first + offset] === text)) return true;
  }
  return false;
};
