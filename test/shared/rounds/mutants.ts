/** Versions of the reducers with one rule changed. Each is a unique replacement in a production file. */
import { readdirSync } from 'node:fs';
import type { Ground } from './explore-settings.ts';

export type Mutant = {
  readonly name: string;
  /** Where it shows. */
  readonly ground: Ground;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

const FILES = readdirSync('shared/rounds', { recursive: true, encoding: 'utf8' });

/** By its name alone: each is there once. */
const rounds = (file: string): string => `shared/rounds/${FILES.find((path) => path.endsWith(`/${file}.ts`)) ?? file}`;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the count starts again when the stance flips, as the published rule has it',
    ground: 'thread',
    file: rounds('thread'),
    from: `if (move.stance === 'accepts' && move.action !== 'resolve') {
    return { kind: 'illegal', reason: 'stance accepts requires the action resolve' };
  }
  const next = { ...progressOf(thread), count: thread.count + 1, stance: move.stance };`,
    to: 'const next = { ...progressOf(thread), count: thread.stance === move.stance ? thread.count + 1 : 0, stance: move.stance };',
  },
  {
    name: 'a reply does not count',
    ground: 'thread',
    file: rounds('thread'),
    from: "return { kind: 'moved', thread: next };",
    to: "return { kind: 'moved', thread: { ...next, count: thread.count } };",
  },
  {
    name: 'a reply is legal at K',
    ground: 'thread',
    file: rounds('thread'),
    from: 'thread.count + 1 < threadCount',
    to: 'thread.count + 1 <= threadCount',
  },
  {
    name: 'who accepts may reply',
    ground: 'thread',
    file: rounds('thread'),
    from: "move.stance === 'accepts' && move.action !== 'resolve'",
    to: "move.stance === 'accepts' && move.action !== 'resolve' && move.action !== 'reply'",
  },
  {
    name: 'an illegal move is a reply',
    ground: 'thread',
    file: rounds('thread'),
    from: 'if (!legal.includes(move.action)) {',
    to: "if (!legal.includes(move.action) && thread.state !== 'open') {",
  },
  {
    name: 'a settled thread is entered again',
    ground: 'thread',
    file: rounds('thread'),
    from: "if (thread.state !== 'open') return [];",
    to: "if (thread.state === 'resolved') return [];",
  },
  {
    name: 'a thread that is shown fixed is open again',
    ground: 'thread',
    file: rounds('thread'),
    from: "{ state: 'resolved', count: thread.count, stance: 'accepts'",
    to: "{ state: 'open', count: thread.count, stance: 'accepts'",
  },
  {
    name: 'showing a thread fixed counts',
    ground: 'thread',
    file: rounds('thread'),
    from: "state: 'resolved', count: thread.count,",
    to: "state: 'resolved', count: thread.count + 1,",
  },
  {
    name: 'an open thread is closed by calling it fixed',
    ground: 'thread',
    file: rounds('thread'),
    from: "state === 'vetoed' || state === 'escalated';",
    to: "state !== 'resolved';",
  },
  {
    name: 'fixed without evidence lifts the block',
    ground: 'fixed',
    file: rounds('gate-fixed'),
    from: 'shown && firstOf(fixed, findingId) === index',
    to: 'true || shown || firstOf(fixed, findingId) === index',
  },
  {
    name: 'fixed and claimed in one breath lifts the block',
    ground: 'fixed',
    file: rounds('gate-fixed'),
    from: 'next === null || isRaised(thread)',
    to: 'next === null || (isRaised(thread) && false)',
  },
  {
    name: 'a failed attempt does not count',
    ground: 'attempts',
    file: rounds('end-attempt'),
    from: 'const failedAttempts = Math.max(decision.state.failedAttempts + 1, run.attempt);',
    to: 'const failedAttempts = decision.state.failedAttempts;',
  },
  {
    name: 'a run does not count',
    ground: 'attempts',
    file: rounds('decide'),
    from: 'runsUsed: decision.state.runsUsed + 1',
    to: 'runsUsed: decision.state.runsUsed',
  },
  {
    name: 'a superseded run does not count',
    ground: 'attempts',
    file: rounds('end-attempt'),
    from: 'supersededInRow: supersededInRow + 1,',
    to: 'runsUsed: decision.state.runsUsed - 1, supersededInRow: supersededInRow + 1,',
  },
  {
    name: 'one round more is held than the settings allow',
    ground: 'closing',
    file: rounds('counts'),
    from: "if (roundsUsed >= max) return 'closing';",
    to: "if (roundsUsed > max) return 'closing';",
  },
  {
    name: 'only a round that ends with feedback counts',
    ground: 'wipedReviews',
    file: rounds('rebuild-history'),
    from: '...reviewed.map(({ review }) => review), ...own.map(completedReviewOf));',
    to: "...reviewed.filter(({ verdict }) => verdict === 'feedback').map(({ round }) => round));",
  },
  {
    name: 'an input is remembered only until the next one is reviewed',
    ground: 'heads',
    file: rounds('decision'),
    from: 'findInput(reviewed, input) !== undefined;',
    to: 'findInput(reviewed.slice(-1), input) !== undefined;',
  },
  {
    name: 'a verdict goes along to another target branch',
    ground: 'retargets',
    file: rounds('input'),
    from: 'known.head !== present.head || known.target !== present.target',
    to: 'known.head !== present.head',
  },
  {
    name: 'a status is taken back at every look',
    ground: 'retargets',
    file: rounds('withdraw-approval'),
    from: 'if (state.withdrawnFor === pair) return decision;',
    to: 'if (state.withdrawnFor === pair && false) return decision;',
  },
  {
    name: 'a head that waited for an outage is tried again and again',
    ground: 'outages',
    file: rounds('decide-outage'),
    from: 'parked: { ...parked, again: true },',
    to: 'parked,',
  },
  {
    name: 'one attempt more is made than the settings allow',
    ground: 'attempts',
    file: rounds('end-attempt'),
    from: 'if (failedAttempts < input.policy.rounds.attempts) {',
    to: 'if (failedAttempts <= input.policy.rounds.attempts) {',
  },
  {
    name: 'a question outlives the cap that answers it',
    ground: 'attempts',
    file: rounds('cap-head'),
    from: 'wanted: null, asked: null, closed',
    to: 'wanted: null, closed',
  },
  {
    name: 'only open threads are compared with what is new',
    ground: 'raised',
    file: rounds('gate-judge'),
    from: "if (match.state === 'open') return",
    to: "if (match.state !== 'open' && match.state !== 'resolved') return { said: null, regressionOf: null, confirms: null };\n    if (match.state === 'open') return",
  },
  {
    name: 'escalation lifts the block',
    ground: 'threads',
    file: rounds('verdict'),
    from: '.filter(({ thread, next }) => stillBlocks({ ...thread, ...next }))',
    to: ".filter(({ thread, next }) => next.state === 'open' && stillBlocks({ ...thread, ...next }))",
  },
  {
    name: 'an idle thread is resolved by its word alone',
    ground: 'threads',
    file: rounds('gate-threads'),
    from: "answer.action === 'resolve' && !mayResolve(thread, rules)",
    to: 'false',
  },
  {
    name: 'a human is called once for each run, not for each episode',
    ground: 'attempts',
    file: rounds('difference'),
    from: 'return `handoff.${payload.episode}`;',
    to: 'return `handoff.${payload.run}`;',
  },
  {
    name: 'the last round calls a human twice',
    ground: 'threads',
    file: rounds('plan-handoff'),
    from: '[lastRoundHandoff(input, verdict)]',
    to: '[lastRoundHandoff(input, verdict), fullLedgerHandoff(input)]',
  },
  {
    name: 'each finding is said twice',
    ground: 'handedOver',
    file: rounds('plan-threads'),
    from: 'return [{ marker: findingMarker(accepted, input), text: findingText(accepted), suggestion, foot, position }];',
    to: 'return [1, 2].map(() => ({ marker: findingMarker(accepted, input), text: "", suggestion, foot, position }));',
  },
  {
    name: 'bots may command',
    ground: 'attempts',
    file: rounds('decide-triggers'),
    from: 'if (isBotNoise(event, botIds) || isBotNoise(event, otherBotIds)) {',
    to: 'if (isBotNoise(event, botIds)) {',
  },
  {
    name: 'fixes are not counted',
    ground: 'fixes',
    file: rounds('decide-fix'),
    from: 'fixesUsed: fix.number, ',
    to: '',
  },
  {
    name: 'every open thread counts as touched',
    ground: 'threads',
    file: rounds('gate-threads'),
    from: "resolvable.some(({ findingId, why }) => findingId === id && (why === 'touched' || why === 'answered'));",
    to: 'resolvable.some(({ findingId }) => findingId === id) || listed !== true;',
  },
  {
    name: 'a waiting thread is escalated',
    ground: 'threads',
    file: rounds('gate-threads'),
    from: "answer.action === 'resolve' || isTouched(thread, rules)",
    to: "answer.action !== 'reply' || isTouched(thread, rules)",
  },
  {
    name: 'a silent review counts as a round',
    ground: 'threads',
    file: rounds('result-of-run'),
    from: "if (!asksForSomething(gated)) return 'silent';",
    to: "if (!asksForSomething(gated)) return 'round';",
  },
  {
    name: 'a carried head uses a run',
    ground: 'carries',
    file: rounds('counts'),
    from: "counts.carriedHeads + (as === 'carried' ? 1 : 0)",
    to: 'counts.carriedHeads',
  },
  {
    name: 'a thread that the same review has half posted is ignored',
    ground: 'half',
    file: rounds('gate'),
    from: 'left: [...left, ...halfPosted(history, draft.review, chosen.kept)],',
    to: 'left,',
  },
  {
    name: 'an unverified claim is forgotten with the next review',
    ground: 'unverified',
    file: rounds('gate'),
    from: "thread.state !== 'open' && thread.review < draft.review",
    to: "thread.state !== 'open' && thread.state !== 'unverified' && thread.review < draft.review",
  },
  {
    name: 'an outage is not counted',
    ground: 'outages',
    file: rounds('decide-outage'),
    from: 'running: last, parked, outages: retry',
    to: 'running: last, parked',
  },
  {
    name: 'a nit is vetoed',
    ground: 'thread',
    file: rounds('thread'),
    from: "...(blocks(thread) ? (['veto'] as const) : []),",
    to: "'veto',",
  },
  {
    name: 'a closing review argues',
    ground: 'thread',
    file: rounds('thread'),
    from: "if (stage === 'closing') return ['resolve'];",
    to: '',
  },
  {
    name: 'a review whose report was lost is given up',
    ground: 'silent',
    file: rounds('end-attempt'),
    from: 'if (isPosted(run, input)) return',
    to: 'if (isPosted(run, input) && false) return',
  },
  {
    name: 'an answer takes no run',
    ground: 'answers',
    file: rounds('decide-thread-replies'),
    from: 'const runsUsed = state.runsUsed + 1;',
    to: 'const { runsUsed } = state;',
  },
  {
    name: 'a thread is settled and nobody is called',
    ground: 'threads',
    file: rounds('plan-threads'),
    from: 'isSettled(handled.next) ? { calls',
    to: 'isSettled(handled.next) && false ? { calls',
  },
  {
    name: 'every reply calls a person',
    ground: 'raised',
    file: rounds('plan-threads'),
    from: '...(isSettled(handled.next) ?',
    to: '...(isSettled(handled.next) || true ?',
  },
  {
    name: 'a hand-off calls nobody',
    ground: 'attempts',
    file: rounds('plan-handoff'),
    from: '  mention: true,',
    to: '  mention: false,',
  },
  {
    name: 'the last round calls nobody',
    ground: 'handedOver',
    file: rounds('plan-handoff'),
    from: 'return [lastRoundHandoff(input, verdict)];',
    to: 'return [];',
  },
  {
    name: 'a failed review calls nobody',
    ground: 'attempts',
    file: rounds('give-up-plan'),
    from: 'notices: [handoff(context, run, { reason: code, text: call }), ...rawNotice(context, run, lastWords)],',
    to: 'notices: rawNotice(context, run, lastWords),',
  },
  {
    name: 'the attempts of a silent review count for the next one',
    ground: 'silentAttempts',
    file: rounds('complete-run'),
    from: 'failedAttempts: 0,',
    to: 'failedAttempts: decision.state.failedAttempts,',
  },
];
