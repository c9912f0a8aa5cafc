import { isCodeLine, isProseFile } from '../../../shared/diff/code-line.ts';
import { runsOf } from '../../../shared/diff/line-runs.ts';
import type { Diff } from '../../../shared/diff/model.ts';
import { isSuppression } from '../../../shared/diff/position/suppressions.ts';
import { isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { ReportedFix } from '../../../shared/vocabulary/finding.ts';
import { evidenceHolds } from '../../../shared/text/normalise-evidence.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { Packet, PacketThread } from '../packet/packet.ts';
import { hasHappened } from '../packet/thread-touch.ts';

export type FixedSources = Pick<Packet, 'closedThreads' | 'changed' | 'diff' | 'headText'>;

/** A fix reported by a rule needs no quote, because the rule checked the place itself. */
export const isShownFixed = async (
  { findingId, evidence, rule }: ReportedFix,
  packet: FixedSources,
  redact: Redactor,
): Promise<boolean> => {
  const thread = packet.closedThreads.find(({ id, settled }) => id === findingId && settled !== undefined);
  if (thread === undefined) return false;
  if (rule !== null) return true;
  if (isGrave(thread.severity) && !hasHappened(thread)) return false;
  return quotesFix(thread, evidence, { packet, redact });
};

type Quoting = { readonly packet: Omit<FixedSources, 'closedThreads'>; readonly redact: Redactor };

/** Comments, prose, blank lines and brackets cannot fix anything. */
const isCode = (evidence: string): boolean => evidence.split('\n').some(isCodeLine);

/**
 * Whether the evidence quotes code that changed since the thread was written. For a P0 or P1 whose own lines are unchanged, a
 * verifier must also confirm the fix.
 */
export const quotesFix = async (
  thread: PacketThread,
  evidence: string,
  { packet, redact }: Quoting,
): Promise<boolean> => {
  const since = thread.since ?? null;
  if (since === null || !isCode(evidence)) return false;
  const stands = (texts: readonly string[]): boolean => texts.some((text) => evidenceHolds(evidence, text, redact));
  const isCited = stands([thread.citedText]);
  // Lines that were both added and removed were only moved.
  if (!isCited) return stands(addedRuns(thread, since, packet)) && !stands(allRuns(since, 'removed'));
  const isTakenAway = stands(allRuns(since, 'removed')) && !stands(allRuns(since, 'added'));
  return isTakenAway && (await isGone(headPath(thread, since), packet, (text) => stands([text])));
};

/** Lines added since the thread's cycle: all of them in the thread's own file; in other files only lines of the change. */
const addedRuns = (thread: PacketThread, since: Diff, { changed }: Pick<Packet, 'changed'>): readonly string[] => {
  const ownPath = headPath(thread, since);
  const ofChange = new Map(changed.map(({ path, changedLines }) => [path, changedLines]));
  const files = since.files.filter(({ newPath }) => !isProseFile(newPath));
  return files.flatMap((file) => {
    const lines = file.newPath === ownPath ? null : ofChange.get(file.newPath);
    if (lines === undefined) return [];
    return runsOf(
      file,
      ({ kind, newLine, text }) =>
        kind === 'added' && !isSuppression(text) && (lines === null || lines.has(newLine ?? 0)),
    );
  });
};

const allRuns = ({ files }: Diff, side: 'added' | 'removed'): readonly string[] =>
  files.flatMap((file) => runsOf(file, ({ kind }) => kind === side));

const headPath = ({ place, now }: Pick<PacketThread, 'place' | 'now'>, since: Diff): string =>
  now?.path ??
  since.files.find(({ oldPath, status }) => oldPath === place.path && status !== 'copied')?.newPath ??
  place.path;

/** An existing file whose text cannot be read does not count as deleted. */
const isGone = async (
  path: string,
  { diff, headText }: Pick<Packet, 'diff' | 'headText'>,
  stands: (text: string) => boolean,
): Promise<boolean> => {
  const text = await headText(path);
  if (text !== null) return !stands(text);
  return !diff.files.some(({ newPath, status }) => newPath === path && status !== 'deleted');
};
