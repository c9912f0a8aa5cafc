/** Applies the target branch's settings to the operator's limits, and returns notes about settings that were not applied. */
import {
  REPOSITORY_FILE,
  type RepositoryReading,
  type RepositorySettings,
} from '../../../shared/config/repository/repository-settings.ts';
import { instructionFileOf } from '../../../shared/diff/paths/instruction-files.ts';
import type { Diff } from '../../../shared/diff/model.ts';
import type { Ignores } from '../../../shared/vocabulary/ignores.ts';
import type { RepositoryRules } from '../../../shared/rounds/model/repository-rules.ts';
import { printablePath } from '../../../shared/workspace/tree/paths.ts';
import type { PacketLimits } from '../packet/packet.ts';

export type Tightened = { readonly limits: PacketLimits; readonly notes: readonly string[] };

/** The lower of two limits applies, and the path filters of both sides apply. Pure. */
export const tightenLimits = (operator: PacketLimits, settings: RepositorySettings): Tightened => {
  const { limits, review, rounds } = settings;
  const notes: string[] = [];
  const lower = (key: string, wanted: number | null, allowed: number): number => {
    if (wanted === null || wanted <= allowed) return wanted ?? allowed;
    notes.push(`\`${REPOSITORY_FILE}\`: \`${key}\` exceeds the limit of the operator, which applies instead`);
    return allowed;
  };
  if (operator.maxRounds !== undefined) lower('rounds.max', rounds.max, operator.maxRounds);
  return {
    limits: {
      ...operator,
      maxFiles: lower('limits.max_files', limits.maxFiles, operator.maxFiles),
      maxDiffBytes: lower('limits.max_diff_bytes', limits.maxDiffBytes, operator.maxDiffBytes),
      maxFileBytes: lower('limits.max_file_bytes', limits.maxFileBytes, operator.maxFileBytes),
      repositoryPaths: { include: review.includePaths, exclude: review.excludePaths },
    },
    notes,
  };
};

type Read = { readonly clamped: readonly string[]; readonly diff: Diff; readonly ignores?: Ignores | undefined };

/** The facts about the settings that guard needs or reports; undefined if there are none. */
export const repositoryRulesOf = (
  { settings, notes }: RepositoryReading,
  { clamped, diff, ignores }: Read,
): RepositoryRules | undefined => {
  const { max } = settings.rounds;
  const { minSeverity } = settings.review;
  const all = [...new Set([...notes, ...clamped, ...editedInstructions(diff)].map((note) => note.slice(0, 500)))];
  if (max === null && minSeverity === 'P3' && all.length === 0 && ignores === undefined) return undefined;
  return { maxRounds: max, minSeverity, notes: all.slice(0, 60), ...(ignores === undefined ? {} : { ignores }) };
};

const MAX_EDITS = 20;

/** Reports edits of instruction files, which are easily missed in a large change. */
const editedInstructions = ({ files }: Diff): readonly string[] => {
  const paths = new Set(files.flatMap(({ oldPath, newPath }) => [newPath, oldPath]));
  const edits = [...paths].flatMap((path) => {
    // Edits of ignore lists are routine, so they are not reported.
    const whose = isIgnoreList(path) ? null : instructionFileOf(path);
    return whose === null
      ? []
      : [`The change edits \`${printablePath(path).replaceAll('`', "'")}\`: ${CONSEQUENCE[whose]}`];
  });
  const more = edits.length - MAX_EDITS;
  return more > 0 ? [...edits.slice(0, MAX_EDITS), `The change edits ${more} more files of this kind`] : edits;
};

const isIgnoreList = (path: string): boolean =>
  /(?:^|\/)\.(?:git|docker|npm|prettier|eslint|stylelint|helm|gcloud|vercel)ignore$/i.test(path);

const CONSEQUENCE = {
  ours: 'this review uses the version of the target branch; the new version applies once it is merged',
  others: 'other tools that run on this branch use the new version; this review does not',
} as const;
