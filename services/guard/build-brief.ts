import type { ChangeRequestFacts, ForgeComment, GitSource } from '../../shared/forge/port-facts.ts';
import type { ClosedIssue } from '../../shared/forge/port-issues.ts';
import type { Brief, BriefIssue, BriefThread } from '../../shared/rounds/model/brief.ts';
import { carriableInputs } from '../../shared/rounds/model/carried.ts';
import { type Stage, stageOf } from '../../shared/rounds/model/counts.ts';
import { isUnverified } from '../../shared/rounds/model/blocking.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import type { PendingAnswer } from '../../shared/rounds/model/facts.ts';
import { openThreads, threadsInScope } from '../../shared/rounds/gate/gate.ts';
import { type History, lastComparable, type Thread } from '../../shared/rounds/model/history.ts';
import { readFinding } from '../../shared/rounds/memory/finding-comment.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import { cutPoint } from '../../shared/text/cut.ts';
import { isSettled, legalActions } from '../../shared/rounds/model/thread.ts';
import { type Discussion, splitDiscussion } from './discussion.ts';

export type BriefInput = {
  readonly run: Run;
  readonly facts: ChangeRequestFacts;
  readonly history: History;
  readonly policy: Policy;
  readonly git: GitSource;
  readonly comments: readonly ForgeComment[];
  /** Accounts of the bot and of other ignored programs. */
  readonly botIds: ReadonlySet<number>;
  readonly answers?: readonly Pick<PendingAnswer, 'findingId'>[];
  /** Absent if none is known. */
  readonly issues?: readonly ClosedIssue[];
  /** Absent if none is known. */
  readonly failedChecks?: readonly string[];
};

const TITLE_CHARS = 1_000;
const DESCRIPTION_CHARS = 50_000;
const WORDS_CHARS = 4_000;
const ISSUE_CHARS = 10_000;
const MAX_FAILED_CHECKS = 20;

export const buildBrief = (input: BriefInput): Brief => {
  const { run, facts, history, git } = input;
  const talk = splitDiscussion({ ...input, threads: history.threads });
  const asBrief = briefThread(input, talk);
  const last = comparedWith(run, history);
  return {
    v: 1,
    changeRequest: facts.changeRequest,
    ...(facts.projectPath === undefined ? {} : { projectPath: facts.projectPath }),
    runId: run.runId,
    head: run.head,
    targetHead: run.targetHead,
    targetBranch: run.target,
    mergeBase: run.base,
    sourceBranch: facts.sourceBranch,
    title: facts.title.slice(0, TITLE_CHARS),
    description: facts.description.slice(0, DESCRIPTION_CHARS),
    author: facts.author.login,
    webUrl: facts.webUrl,
    git: { url: git.url, headRef: git.headRef, branch: headBranch(facts, git) },
    review: run.review,
    attempt: run.attempt,
    stage: stageOfRun(input),
    kind: run.kind === 'reevaluate' ? 'reply' : run.kind,
    openThreads: threadsOf(run, history).map(asBrief),
    closedThreads: history.threads.filter((thread) => thread.state !== 'open' && !isUnverified(thread)).map(asBrief),
    unverified: history.threads.filter(isUnverified).map(asBrief),
    comments: [...talk.discussion],
    issues: (input.issues ?? []).map(briefIssue),
    failedChecks: (input.failedChecks ?? []).slice(0, MAX_FAILED_CHECKS),
    handoff: lastHandoff(history, facts),
    instructions: (run.kind === 'review' ? run.instructions : undefined) ?? null,
    only: (run.kind === 'review' ? run.only : undefined) ?? null,
    previous: last === undefined ? null : previousOf(last),
    ...whatMayBeCarried(input),
  };
};

const briefIssue = ({ number, title, text }: ClosedIssue): BriefIssue => ({
  number,
  title: title.slice(0, TITLE_CHARS),
  text: text.slice(0, cutPoint(text, ISSUE_CHARS)),
});

/** After the last round, a thread can be handed to a human even between two reviews. */
const stageOfRun = ({ run, history, policy }: Pick<BriefInput, 'run' | 'history' | 'policy'>): Stage => {
  const stage = stageOf(history, policy.rounds);
  if (run.kind === 'review') return stage;
  return stage === 'closing' ? 'final' : 'open';
};

const previousOf = ({
  head,
  base,
  fingerprint,
  verdict,
  seenBy,
  left,
}: History['reviewed'][number]): Brief['previous'] => ({
  head,
  base,
  fingerprint,
  verdict,
  ...(seenBy === undefined ? {} : { seenBy }),
  ...(left === undefined ? {} : { left }),
});

const briefThread =
  ({ run, history, policy, answers = [] }: BriefInput, talk: Discussion) =>
  (thread: Thread): BriefThread => {
    const rules = { threadCount: policy.rounds.threadCount, stage: stageOfRun({ run, history, policy }) };
    const settledAt = thread.settledAt ?? lastComplete(history)?.head ?? null;
    return {
      id: thread.id,
      fingerprint: thread.fingerprint,
      severity: thread.severity,
      blocking: thread.blocking,
      title: thread.title,
      ...wordsIn(thread),
      ...(thread.cycledAt === undefined ? {} : { cycledAt: thread.cycledAt }),
      ...(isAnswered(thread, answers) ? { answered: true } : {}),
      ...(thread.comment !== null && thread.required !== true ? { inline: true } : {}),
      ...(thread.outside === true ? { outside: true } : {}),
      ...(thread.listed === true ? { listed: true } : {}),
      rule: thread.rule,
      ...(thread.alsoRules === undefined ? {} : { alsoRules: thread.alsoRules }),
      place: thread.place,
      head: thread.head,
      count: thread.count,
      stance: thread.stance,
      legalActions: [...legalActions(thread, rules)],
      review: thread.review,
      ...(isSettled(thread) ? { settled: { head: settledAt } } : {}),
      replies: talk.repliesTo(thread),
    };
  };

const wordsIn = ({ comment }: Thread): Pick<BriefThread, 'words' | 'body' | 'suggestion'> => {
  if (comment === null) return {};
  const { body, prose, suggestion } = readFinding(comment);
  return {
    words: prose.slice(0, WORDS_CHARS),
    body: body.slice(0, WORDS_CHARS),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
};

/** A click on "resolve" counts as an answer, and so does a decline by the author service. */
const isAnswered = ({ id, declined, comment }: Thread, answers: NonNullable<BriefInput['answers']>): boolean =>
  declined === true || comment?.resolved === true || answers.some(({ findingId }) => findingId === id);

const lastHandoff = ({ handoffs }: History, { webUrl }: ChangeRequestFacts): Brief['handoff'] => {
  const last = handoffs.at(-1);
  return last === undefined ? null : { ...last, webUrl };
};

const whatMayBeCarried = ({ run, history, policy }: BriefInput): Pick<Brief, 'carriable' | 'reviewOnBaseChange'> => ({
  carriable:
    mayCarry(run) && history.carriedHeads < policy.rounds.maxCarried
      ? carriableInputs(history).map(({ head, base, target, fingerprint, rules }) => ({
          head,
          base,
          target,
          fingerprint,
          rules,
        }))
      : [],
  reviewOnBaseChange: policy.reviewOnBaseChange,
});

/**
 * Returns null for a deleted fork, and for a change that was pushed without a branch (its source is then named by a
 * ref).
 */
const headBranch = (
  { sourceBranch, fromFork, forkUrl = null }: ChangeRequestFacts,
  git: GitSource,
): Brief['git']['branch'] => {
  const url = fromFork ? forkUrl : git.url;
  return url === null || sourceBranch === '' || sourceBranch.startsWith('refs/') ? null : { url, name: sourceBranch };
};

/**
 * An incomplete review counts only if it names what it left out: otherwise the omitted files would never be reviewed.
 * Undefined: everything is new.
 */
const comparedWith = (run: Run, history: History): History['reviewed'][number] | undefined =>
  run.kind === 'review' && run.full === true ? undefined : (lastComparable(history) ?? undefined);

const lastComplete = ({ reviewed }: History): History['reviewed'][number] | undefined =>
  reviewed
    .filter(({ complete }) => complete !== false)
    .toSorted((one, other) => one.review - other.review)
    .at(-1);

/** A verdict is never carried in answer to a review request with instructions, a path or `--full`. */
const mayCarry = (run: Run): boolean =>
  run.kind === 'review' && run.full === undefined && run.instructions === undefined && run.only === undefined;

const threadsOf = (run: Run, history: History): readonly Thread[] =>
  run.kind === 'reply' ? threadsInScope(history, run.scope) : openThreads(history, run.review);
