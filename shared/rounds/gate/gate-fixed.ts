/** Finds settled threads that a draft shows to be fixed, and unverified claims that it refutes. */
import { inlineCode } from '../../text/code-fence.ts';
import { cutPoint } from '../../text/cut.ts';
import type { CheckedFix, CheckedRefutation, ReviewDraft } from '../model/draft.ts';
import { findThread } from '../duplicates/duplicates-match.ts';
import type { Handled } from '../model/gate-result.ts';
import type { History, Thread } from '../model/history.ts';
import { refute, showFixed } from '../model/thread.ts';

type Shown = Pick<CheckedFix, 'findingId' | 'shown'>;
type FixingDraft = Pick<ReviewDraft, 'review' | 'findings' | 'fixed' | 'moved'>;

/** A settled thread is resolved only if its fix is shown and the same draft does not raise its finding again. */
export const takeFixes = (draft: FixingDraft, history: History, threshold: number): readonly Handled[] => {
  const { fixed = [], review, findings, moved } = draft;
  const isRaised = (thread: Thread): boolean =>
    findings.some((finding) => findThread(finding, history.threads, { review, moved, threshold }) === thread);
  return fixed
    .filter(({ shown, findingId }, index) => shown && firstOf(fixed, findingId) === index)
    .flatMap((fix) => {
      const thread = onlyThread(history, fix);
      const next = thread === null || thread.review >= review ? null : showFixed(thread);
      return thread === null || next === null || isRaised(thread) ? [] : [{ thread, answer: answerOf(fix), next }];
    });
};

/** A review that raises a claim again does not refute that claim. */
export const takeRefutations = (
  { refuted = [], review, findings, moved }: Pick<ReviewDraft, 'review' | 'findings' | 'refuted' | 'moved'>,
  history: History,
  threshold: number,
): readonly Handled[] =>
  refuted
    .filter(({ shown, findingId }, index) => shown && firstOf(refuted, findingId) === index)
    .flatMap((each) => {
      const thread = onlyThread(history, each);
      const next = thread === null || thread.review >= review ? null : refute(thread);
      const isRaised = findings.some(
        (finding) => findThread(finding, history.threads, { review, moved, threshold }) === thread,
      );
      return thread === null || next === null || isRaised ? [] : [{ thread, answer: refutedBy(each), next }];
    });

const firstOf = (fixed: readonly Shown[], id: Shown['findingId']): number =>
  fixed.findIndex(({ findingId, shown }) => shown && findingId === id);

/** Returns null if two threads share an id because somebody edited a comment: it is unclear which thread is meant. */
const onlyThread = ({ threads }: History, { findingId }: Shown): Thread | null => {
  const [thread, ...others] = threads.filter(({ id }) => id === findingId);
  return thread === undefined || others.length > 0 ? null : thread;
};

const MAX_SHOWN = 300;

const shortened = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, cutPoint(text, MAX_SHOWN))} …`;

const refutedBy = ({ findingId, evidence }: CheckedRefutation): Handled['answer'] => ({
  findingId,
  stance: 'accepts',
  action: 'resolve',
  severity: null,
  body: `The claim does not hold: ${inlineCode(shortened(evidence))}`,
});

const answerOf = ({ findingId, evidence, rule }: CheckedFix): Handled['answer'] => ({
  findingId,
  stance: 'accepts',
  action: 'resolve',
  severity: null,
  body:
    rule === null
      ? `The changed lines show the fix: ${inlineCode(shortened(evidence))}`
      : `\`${rule}\` does not find the problem any more.`,
});
