/** Every state of one thread, every move, in every round: the machine of `shared/rounds/model/thread.ts` alone. */
import { Action, Severity, Stance } from '../../../shared/vocabulary/finding.ts';
import type { ThreadMove, ThreadRules, WeighedThread } from '../../../shared/rounds/model/thread.ts';
import { cycleAmong, type Graph, longest, type Move, walk } from './explore-graph.ts';
import type { Reducers } from './explore-reducers.ts';

export type ThreadWorld = { readonly thread: WeighedThread };

const STAGES: readonly ThreadRules['stage'][] = ['open', 'final', 'closing'];

const MOVES: readonly ThreadMove[] = Stance.options.flatMap((stance) =>
  Action.options.flatMap((action) => [null, ...Severity.options].map((severity) => ({ stance, action, severity }))),
);

const labelOf = ({ stance, action, severity }: ThreadMove, stage: ThreadRules['stage']): string =>
  `${stance} ${action}${severity === null ? '' : ` ${severity}`}, ${stage}`;

const SHOWN_FIXED = 'shown fixed';

export const walkThread = (reducers: Reducers, threadCount: number): Graph<ThreadWorld> => {
  const { openThread, showFixed, stepThread } = reducers;
  const fixes = ({ thread }: ThreadWorld): readonly Move<ThreadWorld>[] => {
    const fixed = showFixed(thread);
    return fixed === null ? [] : [{ to: { thread: { ...thread, ...fixed } }, label: SHOWN_FIXED }];
  };
  const moves = ({ thread }: ThreadWorld): readonly Move<ThreadWorld>[] => [
    ...fixes({ thread }),
    ...STAGES.flatMap((stage) =>
      MOVES.flatMap((move) => {
        const step = stepThread(thread, move, { threadCount, stage });
        if (step.kind === 'illegal') return [];
        const moved = { ...step.thread, blocking: thread.blocking };
        return [{ to: { thread: moved }, label: labelOf(move, stage), weights: { cycles: 1 } }];
      }),
    ),
  ];
  const starts = Severity.options.flatMap((severity) =>
    [true, false].map((blocking) => ({ thread: { ...openThread(severity), blocking } })),
  );
  return walk({ starts, moves, keyOf: (world) => JSON.stringify(world), maxStates: 10_000 });
};

/** What a thread can still live through. Every move lowers it; a settled one may be shown fixed, a closed one has nothing left. */
export const threadRank = ({ thread }: ThreadWorld, threadCount: number): number => {
  if (thread.state === 'open') return 1 + Math.max(1, threadCount - thread.count);
  return thread.state === 'resolved' ? 0 : 1;
};

/** It ends what a human was called for, and argues about nothing. */
const wrongFix = ({ thread: before }: ThreadWorld, { thread: after }: ThreadWorld): readonly string[] => [
  ...(['vetoed', 'escalated'].includes(before.state) ? [] : [`${SHOWN_FIXED} leaves ${before.state}`]),
  ...(after.state === 'resolved' ? [] : [`${SHOWN_FIXED} leads to ${after.state}`]),
  ...(after.count === before.count ? [] : [`${SHOWN_FIXED} counts`]),
];

type LabelledStep = { readonly before: ThreadWorld; readonly after: ThreadWorld; readonly label: string };

const wrongStep = ({ before, after, label }: LabelledStep): readonly string[] => {
  const isHarmless = !before.thread.blocking && before.thread.severity > 'P1';
  return [
    ...(label.includes('veto') && isHarmless ? ['a thread that does not block is vetoed'] : []),
    ...(label.endsWith('closing') && after.thread.state !== 'resolved' ? [`${label} asks after the last round`] : []),
  ];
};

/** What is wrong with the machine; nothing in production. */
export const threadProblems = (reducers: Reducers, threadCount: number): readonly string[] => {
  const graph = walkThread(reducers, threadCount);
  const cycle = cycleAmong(graph, graph.edges) ?? graph.edges.find(({ from, to }) => from === to)?.label ?? null;
  const cycles = 1 + longest(graph, graph.edges, 'cycles');
  const problems: string[] = [];
  if (cycle !== null) problems.push(`a thread can go round: ${String(cycle)}`);
  if (cycles !== threadCount + 1) problems.push(`a thread lives ${cycles} cycles instead of ${threadCount + 1}`);
  for (const { from, to, label } of graph.edges) {
    const [before, after] = [graph.worlds[from], graph.worlds[to]];
    if (before === undefined || after === undefined) continue;
    if (threadRank(after, threadCount) >= threadRank(before, threadCount)) problems.push(`${label} lowers no rank`);
    if (label === SHOWN_FIXED) problems.push(...wrongFix(before, after));
    else if (before.thread.state !== 'open') problems.push(`${label} leaves ${before.thread.state}`);
    problems.push(...wrongStep({ before, after, label }));
    if (label.startsWith('accepts') && after.thread.state !== 'resolved') problems.push(`${label} does not resolve`);
  }
  return [...new Set(problems)];
};
