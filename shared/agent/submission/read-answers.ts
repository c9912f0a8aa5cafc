/** Reads the answers to the open threads. Each thread needs exactly one answer with one of its legal actions. */
import { z } from 'zod';
import type { FindingId } from '../../vocabulary/ids.ts';
import { Action, Severity, Stance, type ThreadAnswer } from '../../vocabulary/finding.ts';

export type OpenThread = {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly legalActions: readonly Action[];
  /** True when nothing happened to the thread since the last cycle. `resolve` then needs a quote of code changed elsewhere. */
  readonly idle?: boolean;
  /** False when the thread may be left without an action. When absent, it needs one. */
  readonly required?: boolean;
};

const GivenAnswer = z.object({
  action: Action,
  stance: Stance.nullish(),
  severity: Severity.nullish(),
  body: z.string().max(8000).nullish(),
  evidence: z.string().max(4000).nullish(),
});

export type ReadAnswers = {
  readonly answers: readonly ThreadAnswer[];
  readonly problems: readonly string[];
  /** Threads reported to the model as blemishes. If the blemishes remain, the gate keeps these threads waiting. */
  readonly inVain: readonly string[];
};

type Named = { readonly id: string; readonly value: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idOf = (value: unknown): string => {
  if (!isObject(value)) return '(none)';
  const id = value['thread'] ?? value['finding_id'] ?? value['id'];
  return typeof id === 'string' ? id.slice(0, 40) : '(none)';
};

/** Accepts a list whose items name their thread, as the schema asks, or an object with one property per thread. */
export const named = (given: unknown): readonly Named[] | null => {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.slice(0, 1000).map((value) => ({ id: idOf(value), value }));
  if (!isObject(given)) return null;
  return Object.entries(given).map(([id, value]) => ({ id: id.slice(0, 40), value }));
};

const namesLegal = ({ action }: ThreadAnswer, { legalActions }: OpenThread): string =>
  `${action} is not allowed; allowed: ${legalActions.join(', ') || 'nothing'}`;

const isLegal = ({ action }: ThreadAnswer, { legalActions }: OpenThread): boolean => legalActions.includes(action);

const whyIllegal = (answer: ThreadAnswer, thread: OpenThread): string | null => {
  if (!isLegal(answer, thread) && !isIdleResolve(answer, thread)) return namesLegal(answer, thread);
  if (answer.stance === 'accepts' && answer.action !== 'resolve') return 'stance accepts requires the action resolve';
  if (answer.action === 'escalate') {
    // P0 sorts lowest as a string. A P0 thread may be escalated without a higher severity.
    const rises = answer.severity !== null && (answer.severity < thread.severity || answer.severity === 'P0');
    if (!rises) return `escalate needs a severity above ${thread.severity}`;
  }
  return answer.action !== 'resolve' && answer.body.trim() === '' ? `${answer.action} needs a body` : null;
};

const UNSHOWN =
  'its lines are unchanged and there is no new reply: the action resolve needs evidence, a quote of the changed code that fixes the problem';

/**
 * Not a violation, because requiring another action would force a satisfied reviewer to object. The thread waits
 * instead.
 */
const isIdleResolve = ({ action }: ThreadAnswer, { idle }: OpenThread): boolean =>
  action === 'resolve' && idle === true;

const whyInVain = (answer: ThreadAnswer, thread: OpenThread): string | null => {
  if (!isIdleResolve(answer, thread)) return null;
  if (!isLegal(answer, thread)) return namesLegal(answer, thread);
  return (answer.evidence ?? '').trim() === '' ? UNSHOWN : null;
};

const readAnswer = (thread: OpenThread, value: unknown): ThreadAnswer | string => {
  const given = GivenAnswer.safeParse(value);
  if (!given.success)
    return given.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; ');
  const { action, stance, severity, body, evidence } = given.data;
  const answer = {
    findingId: thread.id,
    action,
    stance: stance ?? (action === 'resolve' ? 'accepts' : 'seeks_change'),
    severity: action === 'escalate' ? (severity ?? null) : null,
    body: body ?? '',
    ...(action === 'resolve' && evidence ? { evidence } : {}),
  } as const;
  return whyIllegal(answer, thread) ?? answer;
};

/**
 * Every entry of `problems` is a protocol violation and names its thread. Answers are returned in the order of the
 * threads. `kept`: answers that were accepted before. They are used for threads that are not answered again.
 */
export const readAnswers = (
  given: unknown,
  threads: readonly OpenThread[],
  kept: readonly ThreadAnswer[] = [],
): ReadAnswers => {
  const entries = named(given);
  if (entries === null) {
    const text = 'answers: must be a list with one entry per thread';
    // If no thread is open, no answer is missing.
    return threads.length === 0
      ? { answers: [], problems: [], inVain: [text] }
      : { answers: [], problems: [text], inVain: [] };
  }
  const known = new Set<string>(threads.map(({ id }) => id));
  const unknown = entries.filter(({ id }) => !known.has(id)).slice(0, 10);
  const problems: string[] = [];
  const answers: ThreadAnswer[] = [];
  // An answer to an unknown thread has no effect, and the review is not refused because of it.
  const inVain = unknown.map(({ id }) => `answers: ${id} is not an open thread`);
  for (const thread of threads) {
    const own = entries.filter(({ id }) => id === thread.id);
    const before = kept.find(({ findingId }) => findingId === thread.id);
    if (own.length === 0 && before !== undefined) answers.push(before);
    if (own.length === 0 && (before !== undefined || thread.required === false)) continue;
    if (own.length !== 1) {
      problems.push(
        `answers: ${thread.id} has ${own.length === 0 ? 'no action' : `${own.length} actions`}; it needs exactly one`,
      );
      continue;
    }
    const answer = readAnswer(thread, own[0]?.value);
    if (typeof answer === 'string') problems.push(`answers: ${thread.id}: ${answer}`);
    else {
      answers.push(answer);
      const why = whyInVain(answer, thread);
      if (why !== null) inVain.push(`answers: ${thread.id}: ${why}`);
    }
  }
  return { answers, problems, inVain };
};
