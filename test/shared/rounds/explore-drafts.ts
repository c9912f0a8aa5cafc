/** What a reviewer may hand in, and what it must not: every combination of answers, and the breaches of the protocol. */
import type { CheckedFinding, ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { History, Thread } from '../../../shared/rounds/model/history.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import { draft, finding, resolvableBy } from './builders.ts';

export type Handed = { readonly label: string; readonly draft: ReviewDraft };

export type Task = {
  readonly run: Run;
  readonly history: History;
  /** The open threads that this run is to answer. */
  readonly open: readonly Thread[];
  readonly maxThreads: number;
  /** True after the last round: then no thread needs an action. */
  readonly isClosing: boolean;
  readonly unverified: boolean;
};

type Choice = Pick<ThreadAnswer, 'stance' | 'action' | 'severity'>;

/** Every combination of stance and action; whether one is legal is for the gate to say. */
const CHOICES: readonly Choice[] = [
  { stance: 'seeks_change', action: 'reply', severity: null },
  { stance: 'seeks_change', action: 'resolve', severity: null },
  { stance: 'seeks_change', action: 'veto', severity: null },
  { stance: 'seeks_change', action: 'escalate', severity: 'P0' },
  { stance: 'accepts', action: 'resolve', severity: null },
];

const ILLEGAL_CHOICES: readonly Choice[] = [
  { stance: 'accepts', action: 'reply', severity: null },
  { stance: 'accepts', action: 'veto', severity: null },
  { stance: 'accepts', action: 'escalate', severity: 'P0' },
  { stance: 'seeks_change', action: 'escalate', severity: null },
  { stance: 'seeks_change', action: 'escalate', severity: 'P2' },
];

/** What may not be said in a thread that nothing happened to. */
const WAITING_CHOICES: readonly Choice[] = CHOICES.filter(({ action }) => action !== 'resolve');

const waiting = (made: ReviewDraft, ids: readonly FindingId[], choice: Choice): Handed => ({
  label: `${choice.action} in a thread that waits`,
  draft: { ...made, answers: ids.map((id) => answer(id, choice)), resolvable: [] },
});

const answer = (findingId: FindingId, choice: Choice): ThreadAnswer => ({ findingId, body: 'Said.', ...choice });

const combinations = (open: readonly Thread[]): readonly (readonly ThreadAnswer[])[] =>
  open.reduce<readonly (readonly ThreadAnswer[])[]>(
    (before, { id }) => before.flatMap((answers) => CHOICES.map((choice) => [...answers, answer(id, choice)])),
    [[]],
  );

const labelOf = (answers: readonly ThreadAnswer[]): string =>
  answers.map(({ stance, action }) => `${stance} ${action}`).join(', ') || 'no thread';

/** Each claim has a place and words of its own. */
const claimOf = (number: number): CheckedFinding =>
  finding(
    {},
    { title: `Claim ${number}`, path: `file-${number}.ts`, evidence: `code(${number});`, body: `Because ${number}.` },
  );

const RESOLVE: Choice = { stance: 'accepts', action: 'resolve', severity: null };

export const handedIn = (task: Task): { readonly legal: readonly Handed[]; readonly illegal: readonly Handed[] } => ({
  legal: [...reviewDrafts(task)],
  illegal: breaches(task),
});

/** Something has happened to every open thread; what a draft makes of one that nothing happened to is a case of its own. */
const base = ({ run, open }: Task): ReviewDraft => ({
  ...draft({ runId: run.runId, head: run.head, review: run.review, attempt: run.attempt }),
  resolvable: resolvableBy(open.map(({ id }) => answer(id, RESOLVE))),
});

const reviewDrafts = (task: Task): readonly Handed[] => {
  const { open, run, history, maxThreads } = task;
  const made = base(task);
  const answered = combinations(open).map((answers) => ({
    label: labelOf(answers),
    draft: { ...made, answers: [...answers] },
  }));
  if (run.kind === 'reply') return answered;
  const raised = history.threads.length < maxThreads ? withFindings(task, answered) : [];
  const repeated = history.threads.length === 0 ? [] : withRepeats(task, answered);
  const fixed = withFixes(task);
  const partly = { ...made.coverage, complete: false, omitted: [{ path: 'big.bin', reason: 'too large' }] };
  const resolved = open.map(({ id }) => answer(id, RESOLVE));
  const cut = { budget: 'turns', scope: 'run', limit: 8 } as const;
  return [
    ...answered,
    ...raised,
    ...repeated,
    ...fixed,
    ...(task.unverified && history.threads.length < maxThreads ? [withoutEvidence(task)] : []),
    { label: 'a file left out', draft: { ...made, answers: resolved, coverage: partly } },
    { label: 'cut short', draft: { ...made, answers: [], exceeded: cut } },
    ...(open.length === 0 ? [] : [{ label: 'nothing touched', draft: { ...made, answers: [], resolvable: [] } }]),
    ...(open.length === 0
      ? []
      : [{ label: 'idle threads resolved', draft: { ...made, answers: resolved, resolvable: [] } }]),
  ];
};

/** Nobody can find what it quotes. */
const withoutEvidence = (task: Task): Handed => ({
  label: 'a claim without evidence',
  draft: { ...base(task), findings: [{ ...claimOf(task.history.threads.length + 1), evidenced: false }] },
});

/** One more claim beside each way to answer; and all of them at once in the first round. */
const withFindings = ({ history, maxThreads }: Task, answered: readonly Handed[]): readonly Handed[] => {
  const next = history.threads.length + 1;
  const numbers = Array.from({ length: maxThreads - history.threads.length }, (_, index) => next + index);
  const one = answered.map((each) => raise(each, [next]));
  return numbers.length > 1 ? [...one, ...answered.map((each) => raise(each, numbers))] : one;
};

const raise = ({ label, draft: made }: Handed, numbers: readonly number[]): Handed => ({
  label: `${label}, and ${numbers.length} new`,
  draft: { ...made, findings: numbers.map(claimOf) },
});

/** Everything that was ever claimed is claimed again: the gate has to sort it out. */
const withRepeats = ({ history, maxThreads }: Task, answered: readonly Handed[]): readonly Handed[] => {
  const claims = history.threads.map((thread) => ({
    thread,
    finding: claimOf(Number(thread.title.replace(/\D/g, ''))),
  }));
  const resolved = claims.filter(({ thread }) => thread.state === 'resolved').map(({ finding: claimed }) => claimed);
  const settled = claims.filter(({ thread }) => thread.state !== 'resolved' && thread.state !== 'open');
  const back = history.threads.length < maxThreads ? resolved.slice(0, 1) : [];
  const [first] = answered;
  const all = [...settled.map(({ finding: claimed }) => claimed), ...back];
  return first === undefined || all.length === 0
    ? []
    : [{ label: `${first.label}, and ${all.length} again`, draft: { ...first.draft, findings: all } }];
};

/** Everything that ever was a thread is called fixed, with and without lines that show it; and claimed again beside it. */
const withFixes = (task: Task): readonly Handed[] => {
  const { history, open } = task;
  if (!history.threads.some(({ state }) => state === 'vetoed' || state === 'escalated')) return [];
  const made = { ...base(task), answers: open.map(({ id }) => answer(id, RESOLVE)) };
  const fixed = (shown: boolean) =>
    history.threads.map(({ id }) => ({ findingId: id, evidence: 'mended();', rule: null, shown }));
  const again = history.threads.map(({ title }) => claimOf(Number(title.replace(/\D/g, ''))));
  return [
    { label: 'all shown fixed', draft: { ...made, fixed: fixed(true) } },
    { label: 'all called fixed', draft: { ...made, fixed: fixed(false) } },
    { label: 'all shown fixed, and claimed again', draft: { ...made, fixed: fixed(true), findings: again } },
  ];
};

const UNKNOWN: FindingId = 'F-900';

const breaches = (task: Task): readonly Handed[] => {
  const { open } = task;
  const made = base(task);
  const resolved = open.map(({ id }) => answer(id, RESOLVE));
  const handed = (label: string, answers: readonly ThreadAnswer[]): Handed => ({
    label,
    draft: { ...made, answers: [...answers] },
  });
  const unknown = handed('an unknown thread', [...resolved, answer(UNKNOWN, RESOLVE)]);
  const [first, ...rest] = resolved;
  if (first === undefined) return [unknown];
  const idle = open.map(({ id }) => id);
  return [
    unknown,
    ...(task.isClosing ? [] : [handed('a missing action', rest)]),
    handed('two actions', [first, first, ...rest]),
    ...(task.run.kind === 'reply' ? [] : WAITING_CHOICES.map((choice) => waiting(made, idle, choice))),
    ...ILLEGAL_CHOICES.map((choice) => handed(`${choice.stance} ${choice.action}`, [{ ...first, ...choice }, ...rest])),
  ];
};
