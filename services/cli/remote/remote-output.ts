/** Converts the result of a review on a forge to the output of a local review. Reads what is (or would be) posted. */
import { readFinding } from '../../../shared/rounds/memory/finding-comment.ts';
import { stillBlocks } from '../../../shared/rounds/model/blocking.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { type History, placeToday, type ReviewedInput, type Thread } from '../../../shared/rounds/model/history.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { Coverage } from '../../../shared/vocabulary/coverage.ts';
import type { Relation, Verdict } from '../../../shared/vocabulary/finding.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { CodeOf } from '../review/code-frame.ts';
import type { ReviewedFinding, ReviewerKind, ReviewOutput } from '../review/review-output.ts';
import { refutedIn } from '../review/review-result.ts';
import { VERSION } from '../../../shared/version.ts';

export type RemoteReading = {
  readonly facts: ChangeRequestFacts;
  readonly history: History;
  /** The reviewed input; null when it got its verdict without a review. */
  readonly reviewed: ReviewedInput | null;
  /** The draft of this run; null when the verdict existed before, or when another process reviewed. */
  readonly draft: ReviewDraft | null;
  readonly isNew: boolean;
  readonly isPosted: boolean;
  /** Reads the code from this machine's disk. */
  readonly codeOf?: CodeOf;
  /** Why there is no review, in words; null when there is one. */
  readonly reason: string | null;
};

export const remoteOutput = (reading: RemoteReading): ReviewOutput => ({
  version: VERSION,
  mode: 'change',
  runner: runnerOf(reading),
  commits: commitsOf(reading),
  changeRequest: changeRequestOf(reading),
  verdict: verdictOf(reading),
  summary: summaryOf(reading),
  ...findingsOf(reading),
  ...ofDraft(reading.draft),
});

const verdictOf = ({ reviewed }: RemoteReading): Verdict => reviewed?.verdict ?? 'inconclusive';

const commitsOf = ({ facts, draft, reviewed }: RemoteReading): ReviewOutput['commits'] => {
  const { head, targetHead, mergeBase } = facts;
  return { head, target: targetHead, mergeBase: draft?.base ?? reviewed?.base ?? mergeBase };
};

const changeRequestOf = ({
  facts,
  history,
  reviewed,
  isNew,
  isPosted,
}: RemoteReading): ReviewOutput['changeRequest'] => {
  const { changeRequest, title, webUrl } = facts;
  const { webUrl: summaryUrl = '' } = history.summary?.comment ?? {};
  const url = summaryUrl === '' ? webUrl : summaryUrl;
  return { ...changeRequest, url, title, review: reviewed?.review ?? null, isNew, isPosted };
};

type OfDraft = Pick<ReviewOutput, 'refuted' | 'coverage' | 'ignored' | 'exceeded' | 'notes' | 'spent'>;

/**
 * Values that only the run's draft contains. They are unknown for an earlier review, of which only the comments on the
 * forge remain.
 */
const ofDraft = (draft: ReviewDraft | null): OfDraft => {
  if (draft === null)
    return { coverage: UNKNOWN_COVERAGE, ignored: 0, exceeded: null, notes: [], spent: NOTHING_SPENT };
  const { coverage, exceeded, repository, spent } = draft;
  return { ...refutedIn(draft), coverage, ignored: 0, exceeded, notes: [...(repository?.notes ?? [])], spent };
};

const UNKNOWN_COVERAGE: Coverage = { files: 0, reviewed: 0, omitted: [], complete: false };

const runnerOf = ({ draft, reviewed }: RemoteReading): ReviewerKind => {
  const { runner } = draft ?? {};
  if (runner === 'agent' || runner === 'claude-code' || runner === 'rules') return runner;
  return reviewed?.seenBy === 'model' ? 'agent' : 'rules';
};

const summaryOf = (reading: RemoteReading): string => {
  const { draft, isNew, reason } = reading;
  const said = draft?.summary ?? (isNew ? '' : 'This head was reviewed before.');
  return [said, reason === null ? `Verdict ${verdictOf(reading)}.` : `No review: ${reason}.`]
    .filter((part) => part !== '')
    .join('\n');
};

const isStanding = ({ state }: Thread): boolean => state === 'open' || state === 'vetoed' || state === 'escalated';

const findingsOf = ({ history, draft, codeOf }: RemoteReading): Pick<ReviewOutput, 'findings' | 'unverified'> => {
  const known = new Map((draft?.findings ?? []).map((finding) => [finding.fingerprint, finding.claim]));
  const print = (thread: Thread): ReviewedFinding => {
    const { id, severity, title, rule } = thread;
    const claim = known.get(thread.fingerprint);
    const place = placeToday(thread);
    const said = readFinding(thread.comment);
    return {
      id,
      severity,
      blocking: stillBlocks(thread),
      relation: relationOf(thread),
      path: place.path,
      side: place.side,
      startLine: place.startLine,
      line: place.line,
      title: claim?.title ?? title,
      body: claim?.body ?? said.body,
      evidence: claim?.evidence ?? '',
      suggestion: claim === undefined ? (said.suggestion ?? null) : claim.suggestion,
      rule,
      code: codeOf?.(place) ?? null,
    };
  };
  const threads = history.threads.toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  return {
    findings: threads.filter(isStanding).map(print),
    unverified: threads.filter(({ state }) => state === 'unverified').map((thread) => withoutNumber(print(thread))),
  };
};

const withoutNumber = ({
  id: _id,
  blocking: _blocking,
  ...rest
}: ReviewedFinding): ReviewOutput['unverified'][number] => rest;

const relationOf = ({ outside, required }: Thread): Relation => {
  if (outside === true) return 'outside_diff';
  return required === true ? 'required_by_current_diff' : 'current_diff';
};
