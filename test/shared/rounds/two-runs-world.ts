/**
 * Two posters that share nothing but the forge, each as a list of calls between which the other may act. They decide by the
 * production code; only the forge is a model: its statuses, one summary, and comments in their order.
 */
import { hashInput } from '../../../shared/rounds/memory/announcement-url.ts';
import { type StatusClaim, rivalOf } from '../../../shared/rounds/memory/claims.ts';
import type { OwnMarker } from '../../../shared/rounds/memory/own-markers.ts';
import type { FindingMarker, SummaryMarker } from '../../../shared/rounds/model/marker-payload.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { Announcement } from '../../../shared/rounds/model/run.ts';
import { otherReviewer } from '../../../shared/rounds/plan/other-reviewer.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import * as make from './builders.ts';

/**
 * `every`: each write adds a status, as on Forgejo and Gitea. `first`: an open status keeps its link, as on GitLab. `none`: no
 * status can be written, and the summary announces the run.
 */
export type Keeps = 'every' | 'first' | 'none';

type Row = { readonly id: number; readonly said: Announcement | 'final' };

export type Forge = {
  readonly keeps: Keeps;
  rows: Row[];
  /** Oldest first. An edit changes the marker in place. */
  summaries: { marker: SummaryMarker }[];
  findings: FindingMarker[];
};

export type Attempt = { readonly seed: string; readonly attempt: number; readonly runs: number };
export type End = 'posted' | 'gave_way';
type Poster = Generator<void, End, void>;

const HEAD = make.sha('head');
const PRESENT = make.at(HEAD);

export const emptyForge = (keeps: Keeps, before: readonly SummaryMarker[]): Forge => ({
  keeps,
  rows: [],
  summaries: before.map((marker) => ({ marker })),
  findings: [],
});

/** Millions of steps ask for the same few values. */
const once = <Value>(make: (of: Attempt, more: string) => Value): ((of: Attempt, more?: string) => Value) => {
  const made = new Map<string, Value>();
  return (of, more = '') => {
    const key = `${of.seed} ${more}`;
    const value = made.get(key) ?? make(of, more);
    made.set(key, value);
    return value;
  };
};

const announcementOf = once(
  ({ seed, attempt, runs }): Announcement => ({
    run: make.runId(seed),
    review: 1,
    attempt,
    runs,
    superseded: 0,
    until: 9_000,
    ...hashInput(PRESENT),
  }),
);

const common = ({ seed, attempt }: Attempt) => ({ cr: make.KEY, review: 1, attempt, run: make.runId(seed) });

const summaryOf = (of: Attempt, phase: SummaryMarker['phase']): SummaryMarker => ({
  ...common(of),
  kind: 'summary',
  phase,
  head: HEAD,
  target: 'main',
  targetHead: make.sha('target'),
  mergeBase: make.sha('base'),
  base: null,
  until: phase === 'reviewing' ? 9_000 : null,
  runs: of.runs,
  superseded: 0,
  verdict: phase === 'posted' ? 'feedback' : null,
  reviewed: phase === 'posted' ? [make.reviewedAt(HEAD)] : [],
  ledger: [],
  spent: NOTHING_SPENT,
  nextId: 1,
});

const SUMMARIES = {
  reviewing: once((of) => summaryOf(of, 'reviewing')),
  posted: once((of) => summaryOf(of, 'posted')),
  failed: once((of) => summaryOf(of, 'failed')),
};

export const summaryBy = (of: Attempt, phase: SummaryMarker['phase']): SummaryMarker => SUMMARIES[phase](of);

export const findingBy = once(
  (of, name): FindingMarker => ({
    ...common(of),
    kind: 'finding',
    id: 'F-001',
    fp: make.print(`${name} by ${of.seed}`),
    count: 0,
    stance: 'seeks_change',
    severity: 'P1',
    blocking: true,
    state: 'open',
    head: HEAD,
    base: make.sha('base'),
    path: 'a.ts',
    side: 'new',
    startLine: 1,
    line: 1,
    title: name,
    rule: null,
    patch: null,
  }),
);

const COMMENT = make.comment('');

const ownOn = ({ summaries, findings }: Forge): readonly OwnMarker[] =>
  [...findings, ...summaries.map(({ marker }) => marker)].map((payload) => ({ payload, comment: COMMENT }));

const isOpen = (forge: Forge): boolean => forge.rows.length > 0 && forge.rows.at(-1)?.said !== 'final';

const writeStatus = (forge: Forge, said: Row['said']): void => {
  if (forge.keeps === 'none') return;
  const id = forge.rows.length + 1;
  if (forge.keeps === 'every') forge.rows = [...forge.rows, { id, said }];
  else if (said === 'final' || !isOpen(forge)) forge.rows = [{ id, said }];
};

const claimsOn = ({ rows }: Forge): readonly StatusClaim[] => {
  return rows.flatMap(({ id, said }) => (said === 'final' ? [] : [{ announcement: said, id, isOver: false }]));
};

/** The model cannot build a whole plan; `otherReviewer` reads these two fields. */
const planOf = (of: Attempt) =>
  ({ kind: 'review', summary: { marker: summaryBy(of, 'posted') } }) as unknown as PostPlan;

/** The text of a finding differs from run to run, so equal findings have different fingerprints. */
const FINDINGS = ['first', 'second'] as const;

const hasOther = (forge: Forge, of: Attempt): boolean => otherReviewer(planOf(of), ownOn(forge)) !== null;

const writeSummary = (forge: Forge, marker: SummaryMarker, isThere: boolean): void => {
  const [first] = forge.summaries;
  if (isThere && first !== undefined) first.marker = marker;
  else forge.summaries.push({ marker });
};

/** Each `yield` is one call of the forge. */
export function* poster(forge: Forge, of: Attempt): Poster {
  yield;
  const hasSummary = forge.summaries.length > 0;
  const isRival = forge.keeps === 'none' ? yield* announceInSummary(forge, of) : yield* announce(forge, of, hasSummary);
  if (isRival) return yield* giveWay(forge);
  return yield* review(forge, of);
}

/** True: another run goes on. */
function* announceInSummary(forge: Forge, of: Attempt): Generator<void, boolean, void> {
  yield;
  if (hasOther(forge, of)) return true;
  const isThere = forge.summaries.length > 0;
  yield;
  writeSummary(forge, summaryBy(of, 'reviewing'), isThere);
  yield;
  for (const double of forge.summaries.slice(1)) {
    yield;
    forge.summaries = forge.summaries.filter((each) => each !== double);
  }
  yield;
  return hasOther(forge, of);
}

/** True: another run goes on. */
function* announce(forge: Forge, of: Attempt, hasSummary: boolean): Generator<void, boolean, void> {
  yield;
  writeStatus(forge, announcementOf(of));
  yield;
  if (rivalOf(announcementOf(of), claimsOn(forge), PRESENT) !== null) return true;
  if (forge.keeps === 'first') {
    yield;
    if (hasOther(forge, of)) return true;
  }
  if (hasSummary) {
    yield;
    writeSummary(forge, summaryBy(of, 'reviewing'), true);
  }
  return false;
}

function* review(forge: Forge, of: Attempt): Poster {
  yield;
  if (hasOther(forge, of)) return yield* giveWay(forge);
  for (const name of FINDINGS) {
    yield;
    // What an earlier attempt has posted is known.
    if (!forge.findings.some(({ title }) => title === name)) forge.findings = [...forge.findings, findingBy(of, name)];
  }
  yield;
  const isThere = forge.summaries.length > 0;
  yield;
  writeSummary(forge, summaryBy(of, 'posted'), isThere);
  yield;
  writeStatus(forge, 'final');
  return 'posted';
}

export const isPosted = ({ summaries }: Forge): boolean => summaries.some(({ marker }) => marker.phase === 'posted');

function* giveWay(forge: Forge): Poster {
  yield;
  const isReviewed = isPosted(forge);
  yield;
  if (isReviewed) writeStatus(forge, 'final');
  return 'gave_way';
}
