import type { FindingId } from '../vocabulary/ids.ts';
import type { Action, Severity, Side, ThreadAnswer } from '../vocabulary/finding.ts';
import type { OmittedFile } from '../vocabulary/coverage.ts';
import { analyzerOf, type FailedAnalyzer } from '../vocabulary/analyzer.ts';
import { findHits, type HitReport } from './find-hits.ts';
import { type Analysis, NO_ANALYSIS, readersIn } from './model/analysis.ts';
import { ruleLanguageOf } from './model/language.ts';
import type { LineRange } from './noise.ts';
import { findUncheckedLines } from './unchecked-lines.ts';
import { type RuleClaim, judgeClaims, type Recheck } from './recheck.ts';
import type { ChangedFile, RuleFinding, SourceFile } from './model/rule.ts';
import { findingsOf } from './run-rules.ts';
import { redactSecrets } from './secrets/secret-ranges.ts';

/** What the rules need to know about an open thread. `line` is a line of `side`, in the text of the claim. */
export type OpenRuleThread = {
  readonly findingId: FindingId;
  readonly severity: Severity;
  readonly rule: string | null;
  readonly alsoRules?: readonly string[] | undefined;
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly citedText: string;
  /** The lines of the head that replaced it; absent or null if there are none. */
  readonly replacedBy?: RuleClaim['replacedBy'];
  /** Which lines of the head changed since the text of the claim; absent if this is unknown. */
  readonly isChanged?: RuleClaim['isChanged'];
  readonly legalActions: readonly Action[];
  readonly blocks: boolean;
  /** False if the thread need not be answered now: it then gets an answer only if its claim no longer applies. */
  readonly required: boolean;
  /** Set if the finding has no thread yet: then it is reported again, so that it can get one. */
  readonly listed?: true | undefined;
};

/** A thread that needs no answer. */
export type RuleThread = Omit<OpenRuleThread, 'legalActions' | 'blocks' | 'required' | 'listed'>;

/** Contract: returns the thread's place at the head and follows renames; null if the line was removed or rewritten. */
type Moved<Thread> = (thread: Thread) => { readonly path: string; readonly line: number } | null;

type Following<Thread> = { readonly moved: Moved<Thread>; readonly signal: AbortSignal };

export type RulesReviewInput<Thread extends RuleThread> = Following<Thread> & {
  readonly files: readonly ChangedFile[];
  readonly openThreads: readonly Thread[];
  /** Contract: returns the text of a file at the head, null if it does not exist; throws if the file cannot be read. */
  readonly headText: (path: string) => Promise<string | null>;
  /** What the operator's analyzers and own rules found. If absent, there are none. */
  readonly analysis?: Analysis | undefined;
};

export type RulesReview = {
  readonly findings: readonly RuleFinding[];
  readonly answers: readonly ThreadAnswer[];
  /** Files that some rule could not read. If there are any, the review is incomplete. */
  readonly omitted: readonly OmittedFile[];
  readonly summary: string;
  /** Parse error lines by path, for each changed file that all rules of its language checked completely. */
  readonly parsed: ReadonlyMap<string, readonly LineRange[]>;
  readonly scanned: ReadonlySet<string>;
  /** The operator's analyzers that know the language of a changed file, by its path. */
  readonly readers: ReturnType<typeof readersIn>;
  /** Analyzers and sources of rules that did not check what they should. If there are any, the review does not pass. */
  readonly failed: readonly FailedAnalyzer[];
};

const SEVERITIES: readonly Severity[] = ['P0', 'P1', 'P2', 'P3'];

const wordsFor = (recheck: Recheck, thread: OpenRuleThread): string => {
  const subject = thread.rule === null ? 'The cited code' : `The problem found by \`${thread.rule}\``;
  switch (recheck.kind) {
    case 'still_there':
      return recheck.by === undefined
        ? `${subject} is still there, at line ${recheck.line}.`
        : `\`${recheck.by}\` still reports the problem, at line ${recheck.line}, although \`${thread.rule}\` does not.`;
    case 'fixed':
      return `${subject} is fixed.`;
    case 'gone':
      return `${subject} is gone.`;
    default:
      return recheck satisfies never;
  }
};

/** Answers a thread. A claim that still applies gets a reply while this is legal; then a veto, or no answer if it does not block. */
const answerOf = (thread: OpenRuleThread, recheck: Recheck): ThreadAnswer => {
  const stands = recheck.kind === 'still_there';
  const wanted: readonly Action[] = stands ? ['reply', thread.blocks ? 'veto' : 'resolve', 'escalate'] : ['resolve'];
  const action = wanted.find((candidate) => thread.legalActions.includes(candidate)) ?? wanted[0] ?? 'veto';
  const worse = SEVERITIES[Math.max(0, SEVERITIES.indexOf(thread.severity) - 1)] ?? 'P0';
  return {
    findingId: thread.findingId,
    stance: stands ? 'seeks_change' : 'accepts',
    action,
    severity: action === 'escalate' ? worse : null,
    body:
      wordsFor(recheck, thread) +
      (stands && action === 'resolve' ? ' The finding does not block, so this thread is closed.' : ''),
  };
};

type Summarised = Pick<RulesReview, 'findings' | 'answers' | 'omitted'> & { readonly analysis: Analysis };

/** Own rules say which of them ran; analyzers do not. */
const whoRan = ({ ran }: Analysis): string => {
  const own = ran.some(({ rules }) => rules !== undefined);
  const analyzers = ran.some(({ rules, paths }) => rules === undefined && paths.length > 0);
  if (own) return analyzers ? 'The built-in rules, own rules and analyzers' : 'The built-in rules and own rules';
  return analyzers ? 'The built-in rules and analyzers' : 'The built-in rules';
};

const summarise = ({ findings, answers, omitted, analysis }: Summarised): string => {
  const who = whoRan(analysis);
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const closed = answers.filter(({ action }) => action === 'resolve').length;
  return [
    findings.length === 0 ? `${who} found nothing new.` : `${who} found ${count(findings.length, 'problem')}.`,
    ...(answers.length === 0 ? [] : [`Resolved ${closed} of ${count(answers.length, 'open thread')}.`]),
    ...(omitted.length === 0 ? [] : [`Some rules could not read ${count(omitted.length, 'file')}.`]),
  ].join(' ');
};

export const claimOf = async <Thread extends RuleThread>(
  thread: Thread,
  { moved, signal }: Following<Thread>,
): Promise<RuleClaim> => {
  const place = moved(thread);
  const citedText = await redactSecrets(thread.citedText, signal);
  const { rule, alsoRules = [], line, replacedBy = null, isChanged } = thread;
  const path = place?.path ?? replacedBy?.path ?? thread.path;
  return { rule, alsoRules, line, citedText, path, movedLine: place?.line ?? null, replacedBy, isChanged };
};

export const textsFor = async (
  claims: readonly RuleClaim[],
  input: Pick<RulesReviewInput<never>, 'files' | 'headText' | 'signal'>,
) => {
  const have = new Set(input.files.map(({ path }) => path));
  const texts: SourceFile[] = [];
  for (const path of new Set(claims.map((claim) => claim.path))) {
    input.signal.throwIfAborted();
    const text = have.has(path) ? null : await input.headText(path);
    if (text !== null) texts.push({ path, text });
  }
  return texts;
};

/** On the old side, the cited code is what the change removed, so its absence at the head proves nothing. */
const onOldSide = (thread: OpenRuleThread): Recheck | null =>
  thread.side === 'old' ? { kind: 'still_there', line: thread.line } : null;

/**
 * Gives each open thread one legal action, in their order. A finding that belongs to an open thread is not repeated.
 * @throws RulesEngineMissingError, RulesEngineFailedError, RulesTimeoutError; the signal's reason if aborted.
 */
export const reviewByRules = async <Thread extends OpenRuleThread>(
  input: RulesReviewInput<Thread>,
): Promise<RulesReview> => {
  const claims: RuleClaim[] = [];
  for (const thread of input.openThreads) claims.push(await claimOf(thread, input));
  const { analysis = NO_ANALYSIS, signal } = input;
  const report = await findHits([...input.files, ...(await textsFor(claims, input))], signal, analysis);
  const { rechecks } = judgeClaims(claims, report);
  const { known } = judgeClaims(
    claims.filter((_, index) => input.openThreads[index]?.listed !== true),
    report,
  );
  const answers = input.openThreads.flatMap((thread, index) => {
    const answer = answerOf(thread, onOldSide(thread) ?? rechecks[index] ?? { kind: 'still_there', line: thread.line });
    return thread.required || answer.stance === 'accepts' ? [answer] : [];
  });
  const { findings: found, omitted } = findingsOf(report, input.files, known);
  const findings = await Promise.all(found.map(async (finding) => withoutSecrets(finding, signal)));
  const paths = input.files.map(({ path }) => path);
  return {
    findings,
    answers,
    omitted,
    summary: summarise({ findings, answers, omitted, analysis }),
    parsed: await parsedOf(input, report),
    scanned: new Set(paths.filter((path) => !report.unscanned.has(path))),
    readers: readersIn(analysis),
    failed: analysis.failed,
  };
};

/** An analyzer may quote the code in its message. */
const withoutSecrets = async (finding: RuleFinding, signal: AbortSignal): Promise<RuleFinding> => {
  if (analyzerOf(finding.rule) === null && finding.alsoRules === undefined) return finding;
  const [title, body] = [await redactSecrets(finding.title, signal), await redactSecrets(finding.body, signal)];
  return { ...finding, title: title.slice(0, MAX_TITLE), body };
};

const MAX_TITLE = 200;

const parsedOf = async (
  { files, signal }: Pick<RulesReviewInput<never>, 'files' | 'signal'>,
  report: HitReport,
): Promise<RulesReview['parsed']> => {
  const unread = new Set(report.omitted.map(({ path }) => path));
  const known = files.filter((file) => !unread.has(file.path) && ruleLanguageOf(file.path, file.text) !== null);
  return findUncheckedLines(known, signal);
};
