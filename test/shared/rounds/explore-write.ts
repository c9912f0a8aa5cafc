/** What the poster makes of a plan: which comments are new, which the forge remembers, and what must never be among them. */
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { MarkerPayload } from '../../../shared/rounds/model/marker-payload.ts';
import { calledAgain, calledWrongly } from './explore-laws.ts';
import { type Markers, oneOf } from './explore-forge.ts';
import { H0 } from './explore-names.ts';
import type { Desk, Setting } from './explore-world.ts';

/** The summary is edited, everything else is added once: by the key that the poster compares. */
export const write = ({ setting, costs, broken }: Desk, plan: PostPlan, forge: Markers): Markers => {
  const { postingKey } = setting.reducers;
  const present = new Set(forge.map(postingKey));
  const missing = (planned: readonly Planned[]): readonly MarkerPayload[] =>
    planned.map(({ marker }) => marker).filter((marker) => !present.has(postingKey(marker)));
  const comments = missing([...plan.inline, ...plan.replies, ...plan.notices]);
  const edited = withCalls(setting, plan, forge);
  // A thread is closed by an edit.
  const fresh = [...comments, ...missing(plan.closures)].filter(({ kind }) => REMEMBERED.has(kind));
  broken.push(...calledAgain(setting, { plan, fresh, forge }), ...calledWrongly({ plan, fresh, forge }));
  costs.cycles += cyclesOf(fresh, forge);
  costs.handoffs += fresh.filter(isCallForPresent).length;
  costs.comments += wordsOn(setting, plan, comments);
  const kept = plan.summary === null ? edited : edited.filter(({ kind }) => kind !== 'summary');
  if (plan.summary !== null && kept.length === forge.length) costs.comments += 1;
  return oneOf([...(plan.summary === null ? [] : [plan.summary.marker]), ...kept, ...fresh]);
};

/** Another target branch makes another input: it is handed off by itself. */
const isCallForPresent = (marker: MarkerPayload): boolean =>
  marker.kind === 'handoff' && marker.head === H0 && marker.target === 'main';

/** A human who was called is not called again before another review is completed: the comment is edited. */
const withCalls = ({ reducers }: Setting, { notices }: PostPlan, forge: Markers): Markers =>
  forge.map((marker) => {
    const calls = notices.flatMap(({ marker: planned }) =>
      marker.kind === 'handoff' && planned.kind === 'handoff' ? (reducers.handoffAfter(marker, planned) ?? []) : [],
    );
    return calls[0] ?? marker;
  });

/** Where nobody answers, worlds do not keep the verdict: each round may have changed it, and says so. */
const wordsOn = ({ people }: Setting, { kind: of }: PostPlan, comments: readonly MarkerPayload[]): number => {
  const counted = comments.filter(({ kind }) => of !== 'cap' || kind !== 'handoff');
  if (people.includes('answer')) return counted.length;
  return counted.filter(({ kind }) => kind !== 'notice').length + (of === 'review' || of === 'carried' ? 1 : 0);
};

type Planned = { readonly marker: MarkerPayload };

const REMEMBERED: ReadonlySet<MarkerPayload['kind']> = new Set(['finding', 'reply', 'handoff', 'fix']);

/** Showing that it is fixed is no more arguing. */
const cyclesOf = (fresh: readonly MarkerPayload[], forge: Markers): number => {
  const isOver = forge.some(
    (old) => old.kind === 'summary' && old.ledger.some(({ id, state }) => id === 'F-001' && state !== 'open'),
  );
  return isOver ? 0 : fresh.filter((marker) => marker.kind === 'reply' && marker.id === 'F-001').length;
};
