/** Decides whether a finding is new, known, or a repeat. */
import { isBlocking, isGrave } from '../model/blocking.ts';
import type { CheckedFinding, ReviewDraft } from '../model/draft.ts';
import { quoteEachOther } from '../duplicates/duplicates-code.ts';
import { findThread, isSameFinding } from '../duplicates/duplicates-match.ts';
import type { History, Thread } from '../model/history.ts';
import type { FindingId } from '../../vocabulary/ids.ts';
import type { DropReason } from '../model/gate-result.ts';

export type GatedDraft = Pick<
  ReviewDraft,
  | 'review'
  | 'findings'
  | 'answers'
  | 'unanswered'
  | 'fixed'
  | 'refuted'
  | 'resolvable'
  | 'moved'
  | 'exceeded'
  | 'repository'
>;

export type Kept = {
  readonly finding: CheckedFinding;
  readonly said: Thread | null;
  readonly regressionOf: FindingId | null;
  /** The unverified claim that this finding confirms, or a finding that was so far only listed in the summary. */
  readonly confirms: Thread | null;
};
export type JudgeContext = {
  readonly draft: GatedDraft;
  readonly history: History;
  readonly threshold: number;
  readonly kept: readonly Kept[];
};

export type Judged =
  | { readonly drop: DropReason; readonly reopens?: FindingId }
  | { readonly contradicts: FindingId }
  | { readonly raises: Thread }
  | Omit<Kept, 'finding'>;

/**
 * True if the finding belongs to an open thread or to another finding of this draft. An `[[ignore]]` entry does not affect
 * what was already said.
 */
export const isSaidAlready = (judged: Judged): boolean => {
  if ('drop' in judged) return SAID.has(judged.drop);
  if ('contradicts' in judged) return true;
  return !('raises' in judged) && (judged.said !== null || judged.confirms?.listed === true);
};

const SAID: ReadonlySet<DropReason> = new Set(['repeats an open thread', 'repeats another new finding']);

export const judge = (finding: CheckedFinding, context: JudgeContext): Judged => {
  if (context.kept.some((other) => isSameFinding(finding, other.finding, context.threshold))) {
    return { drop: 'repeats another new finding' };
  }
  const grave = isGrave(finding.claim.severity);
  const { review, moved } = context.draft;
  const { threads } = context.history;
  const match = findThread(finding, threads, { review, moved, threshold: context.threshold });
  if (match === undefined) return judgeUnmatched(finding, context);
  if (match.state === 'unverified') return judgeUnverified(finding, match);
  if (match.state === 'dismissed')
    return isDismissed(finding, match, moved) ? { drop: 'repeats a dismissed finding' } : NEW;
  if (match.review === review) return { ...NEW, said: match };
  if (match.state === 'open') return repeatOfOpen(match, finding, context.draft);
  if (!grave)
    return {
      drop: 'repeats a closed finding',
      ...(match.state === 'resolved' ? { reopens: match.id } : {}),
    };
  // A settled thread is not discussed again, but the higher severity is kept.
  return match.state === 'resolved' ? { ...NEW, regressionOf: match.id } : { raises: match };
};

/** A finding about an applied suggestion of the bot belongs to that suggestion's thread. P0 and P1 are still reported. */
const judgeUnmatched = (finding: CheckedFinding, { draft, history }: JudgeContext): Judged => {
  const grave = isGrave(finding.claim.severity);
  const own = history.threads.findLast(({ id }) => id === finding.suggestedBy);
  if (own === undefined) return grave || finding.onChangedHunk ? NEW : { drop: 'unchanged code' };
  const isResolved = own.state === 'resolved' || resolves(own, draft);
  if (own.state === 'open' && !isResolved) return repeatOfOpen(own, finding, draft);
  if (!grave || own.state === 'dismissed') return { drop: 'is about lines that the bot suggested' };
  return isResolved ? { ...NEW, regressionOf: own.id } : { raises: own };
};

const resolves = ({ id }: Thread, { answers }: GatedDraft): boolean =>
  answers.some(({ findingId, action }) => findingId === id && action === 'resolve');

/** True if the draft says that the thread is fixed. A thread that does not block may be resolved although its finding still applies. */
const callsFixed = ({ id }: Thread, { answers }: GatedDraft): boolean =>
  answers.some(({ findingId, action, stance }) => findingId === id && action === 'resolve' && stance === 'accepts');

/** Repeating an unverified claim does not verify it. A less severe claim at the same place counts as a new finding. */
const judgeUnverified = ({ claim, evidenced }: CheckedFinding, match: Thread): Judged => {
  if (!isGrave(claim.severity)) return NEW;
  return evidenced ? { ...NEW, confirms: match } : { drop: 'repeats an unverified claim' };
};

/** A dismissal applies until the code changes; after that the same claim is a new finding. */
const isDismissed = (
  { claim, fingerprint, onChangedHunk }: CheckedFinding,
  thread: Thread,
  moved: GatedDraft['moved'],
): boolean => {
  const then = moved.find(({ findingId }) => findingId === thread.id)?.citedCode ?? '';
  return fingerprint === thread.fingerprint || !onChangedHunk || quoteEachOther(then, claim.evidence);
};

const NEW = { said: null, regressionOf: null, confirms: null } as const;

/**
 * A repeat of an open thread is dropped, but a finding that was only listed may now get its own thread. A draft that both
 * resolves and repeats a finding contradicts itself. A non-blocking thread never causes a blocking finding to be dropped.
 */
const repeatOfOpen = (thread: Thread, { claim }: CheckedFinding, draft: GatedDraft): Judged => {
  if (callsFixed(thread, draft)) return { contradicts: thread.id };
  if (thread.listed === true) return { ...NEW, confirms: thread };
  const hides = isBlocking(claim) && !thread.blocking && !isGrave(thread.severity);
  return hides ? NEW : { drop: 'repeats an open thread' };
};
