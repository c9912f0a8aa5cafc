/** Checks before a review whether the same change was already reviewed, so that its verdict can be carried over. */
import path from 'node:path';
import { fingerprint } from '../../shared/diff/fingerprint.ts';
import type { Diff } from '../../shared/diff/model.ts';
import { parseDiff } from '../../shared/diff/parse/parse.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { Carried } from '../../shared/rounds/model/carried.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { Git } from '../../shared/workspace/git/git.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import type { Revisions } from '../../shared/workspace/git/revisions.ts';
import { decideSameInput, type SameInputSettings } from '../../shared/workspace/git/same-input.ts';
import { MAX_OTHER_BASES } from '../../shared/rounds/model/marker-payload.ts';
import type { Ignoring } from './rules/project-ignores.ts';
import { hashOfAskedRules } from './rules/asked-rules.ts';
import type { PacketLimits } from './packet/packet.ts';

export type SameInputSource = {
  readonly access: Pick<MirrorAccess, 'dataFolder' | 'gitPath'>;
  readonly git: Git;
  readonly revisions: Revisions;
  readonly limits: Pick<PacketLimits, 'maxFiles' | 'maxDiffBytes'>;
  readonly operatorRules: string;
  readonly ignoring?: Ignoring | undefined;
  readonly signal: AbortSignal;
};

type Question = Pick<Brief, 'head' | 'targetHead' | 'targetBranch' | 'carriable' | 'reviewOnBaseChange'>;

/** Commits that the comparison needs; they are fetched if the server still provides them. */
export const reviewedCommits = ({ carriable }: Pick<Brief, 'carriable'>): readonly CommitSha[] =>
  carriable.flatMap(({ head, base }) => [head, base]);

/** Returns null if this head needs a review, including when git cannot compare or the reviewed commits are gone. */
export const findSameInput = async (question: Question, source: SameInputSource): Promise<Carried | null> => {
  const { head, targetHead, carriable } = question;
  if (carriable.length === 0) return null;
  const { revisions, signal } = source;
  const [base, ...others] = await revisions.mergeBases(targetHead, head, signal);
  if (base === undefined) return null;
  for (const reviewed of carriable) {
    signal.throwIfAborted();
    const found = await compare({ question, base, reviewed }, source);
    if (found !== null) return others.length === 0 ? found : { ...found, otherBases: others.slice(0, MAX_OTHER_BASES) };
  }
  return null;
};

type Comparison = {
  readonly question: Question;
  readonly base: CommitSha;
  readonly reviewed: Brief['carriable'][number];
};

const compare = async (comparison: Comparison, source: SameInputSource): Promise<Carried | null> => {
  const { question, base, reviewed } = comparison;
  const { revisions, signal } = source;
  if (!(await revisions.exists(reviewed.head, signal)) || !(await revisions.exists(reviewed.base, signal))) return null;
  const inputs = { reviewed, current: { head: question.head, base } };
  const same = await decideSameInput(settingsOf(source), inputs, signal);
  const baseMoved = same === 'clean_merge';
  if (same === 'different' || (baseMoved && question.reviewOnBaseChange)) return null;
  // Trees can merge cleanly although the code around the change differs; then the change needs another review.
  const diff = await diffOf(question, source);
  if (diff === null || fingerprint(diff) !== reviewed.fingerprint) return null;
  const rules = isItself(comparison) ? reviewed.rules : await rulesOf(comparison, diff, source);
  if (rules !== reviewed.rules) return null;
  return {
    base,
    targetHead: question.targetHead,
    patchFingerprint: reviewed.fingerprint,
    reviewedHead: reviewed.head,
    reviewedBase: reviewed.base,
    reviewedTarget: reviewed.target,
    rules,
    baseMoved,
  };
};

/** True if this is the reviewed input itself. Its verdict stays valid even if the rules have changed since. */
const isItself = ({ question, base, reviewed }: Comparison): boolean =>
  reviewed.head === question.head && reviewed.base === base && reviewed.target === question.targetBranch;

const rulesOf = async (
  { question, base }: Comparison,
  { files }: Diff,
  { revisions, operatorRules, ignoring, signal }: SameInputSource,
): Promise<string> => {
  const asked = { target: question.targetHead, base, files, operator: operatorRules, ignoring };
  return hashOfAskedRules(revisions, asked, signal);
};

const settingsOf = ({ access, git, revisions }: SameInputSource): SameInputSettings => ({
  git,
  gitPath: access.gitPath,
  revisions,
  scratchFolder: path.join(access.dataFolder, 'scratch'),
});

/** Computes the diff with the packet's limits, because a change that exceeds them was not reviewed completely. */
const diffOf = async (
  { head, targetHead }: Question,
  { revisions, limits, signal }: SameInputSource,
): Promise<Diff | null> => {
  const caps = { maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const diff = await revisions.diff({ target: targetHead, head, ...caps }, signal);
  return diff.kind === 'diff' ? parseDiff(diff.patch) : null;
};
