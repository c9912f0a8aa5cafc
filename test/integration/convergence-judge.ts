/** Checks after every step of the convergence script, and their report. */
import type { SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import type { Marked } from './convergence-hands.ts';
import { lastSummary, markedAs, wordsOf } from './convergence-hands.ts';
import { DECLINED, type Play, type Step, statusOf } from './convergence-script.ts';
import { isBad, type Seed, SEEDS, seedAt, type Shop, wordingOf } from './convergence-shop.ts';

type Ledger = SummaryMarker['ledger'];

/** The state before a step. */
export type Before = {
  readonly ids: ReadonlySet<number>;
  readonly shop: Shop | null;
  readonly row: Row | null;
};

export type Row = {
  readonly step: string;
  readonly review: number;
  readonly runs: number;
  readonly verdict: string;
  /** Ids of findings that are new in this step. */
  readonly fresh: readonly string[];
  readonly states: Readonly<Record<string, number>>;
  readonly words: number;
  readonly faults: readonly string[];
};

type Finding = Marked<'finding'>;

export const lookBefore = (play: Play, row: Row | null): Before =>
  play.shops.size === 0
    ? { ids: new Set(), shop: null, row }
    : { ids: new Set(markedAs(wordsOf(play), 'finding').map(({ id }) => id)), shop: play.shop, row };

const seedOf = (play: Play, { marker }: Finding): Seed | null =>
  seedAt(play.shops.get(marker.head) ?? play.shop, marker);

export type Judging = {
  readonly play: Play;
  readonly before: Before;
  readonly lives: ReadonlyMap<string, number>;
  readonly step: Step;
};

const duplicateFaults = ({ play, lives }: Judging, findings: readonly Finding[]): readonly string[] =>
  SEEDS.flatMap((seed) => {
    const said = findings.filter((finding) => seedOf(play, finding)?.name === seed.name);
    const allowed = lives.get(seed.name) ?? 0;
    if (said.length <= allowed) return [];
    const ids = said.map(({ marker }) => marker.id).join(' ');
    return [`${DECLINED.includes(seed.name) ? 'declined and raised again' : 'said twice'}: ${seed.name} as ${ids}`];
  });

const stateIn = (ledger: Ledger, { marker }: Finding): string =>
  ledger.find(({ id, fp }) => id === marker.id && fp === marker.fp)?.state ?? 'forgotten';

const STANDS: ReadonlySet<string> = new Set(['open', 'vetoed', 'escalated']);

/** Every seeded defect is found at once, and severe findings stay as long as the defect does. */
const lostFaults = ({ play, step }: Judging, findings: readonly Finding[], ledger: Ledger): readonly string[] =>
  SEEDS.filter((seed) => isBad(play.shop, seed)).flatMap((seed) => {
    const newest = findings.findLast((finding) => seedOf(play, finding)?.name === seed.name);
    if (newest === undefined) return [`lost: ${seed.severity} ${seed.name} was never said`];
    const { severity } = seed;
    if (severity === 'P2' || severity === 'P3' || DECLINED.includes(seed.name)) return [];
    const state = stateIn(ledger, newest);
    return STANDS.has(state) ? [] : [`lost: ${severity} ${seed.name} is ${state} after "${step.name}"`];
  });

const unchangedFaults = ({ play, before }: Judging, fresh: readonly Finding[]): readonly string[] =>
  fresh.flatMap((finding) => {
    const seed = seedOf(play, finding);
    if (seed === null) return [`a claim about nothing: ${finding.marker.id} ${finding.marker.title}`];
    if (before.shop === null || wordingOf(before.shop, seed) !== wordingOf(play.shop, seed)) return [];
    return [`a new thread on an unchanged hunk: ${finding.marker.id} ${finding.marker.title}`];
  });

const verdictFaults = ({ play, before, step }: Judging, marker: SummaryMarker): readonly string[] => {
  const left = SEEDS.filter((seed) => isBad(play.shop, seed) && ['P0', 'P1'].includes(seed.severity));
  const isDismissed = marker.ledger.some(({ state }) => state === 'dismissed');
  const excused = left.every(({ name }) => DECLINED.includes(name) && isDismissed);
  const passes = marker.verdict === 'lgtm' || statusOf(play) === 'success';
  const review = before.row?.review ?? 0;
  return [
    ...(passes && !excused ? [`lgtm over ${left.map(({ name }) => name).join(', ')}`] : []),
    ...(marker.review - review === Number(step.review) ? [] : [`review ${marker.review} after ${review}`]),
    ...(marker.phase === 'posted' ? [] : [`the summary is left in phase ${marker.phase}`]),
  ];
};

/** Null after someone deleted or reverted the summary, until the bot writes the next one. */
const currentSummary = ({ play, before }: Judging): SummaryMarker | null => {
  const marker = lastSummary(play)?.marker ?? null;
  return marker === null || marker.review < (before.row?.review ?? 0) ? null : marker;
};

const countStates = ({ ledger }: SummaryMarker): Row['states'] => {
  const states: Record<string, number> = {};
  for (const { state } of ledger) states[state] = (states[state] ?? 0) + 1;
  return states;
};

export const judge = (judging: Judging): Row => {
  const { play, before, step } = judging;
  const words = wordsOf(play);
  const findings = markedAs(words, 'finding');
  const fresh = findings.filter(({ id }) => !before.ids.has(id));
  const marker = currentSummary(judging);
  const faults = [...duplicateFaults(judging, findings), ...unchangedFaults(judging, fresh)];
  const said = { step: step.name, fresh: fresh.map(({ marker: { id } }) => id), words: words.length };
  if (marker === null) {
    const { review = 0, runs = 0 } = before.row ?? {};
    return { ...said, review, runs, verdict: '?', states: {}, faults };
  }
  const { review, runs, verdict, ledger } = marker;
  return {
    ...said,
    review,
    runs,
    verdict: verdict ?? 'none',
    states: countStates(marker),
    faults: [...faults, ...lostFaults(judging, findings, ledger), ...verdictFaults(judging, marker)],
  };
};

const COLUMNS = ['round', 'runs', 'verdict', 'new', 'open', 'human', 'closed', 'words', 'faults', 'step'] as const;

const cellsOf = ({ step, review, runs, verdict, fresh, states, words, faults }: Row): readonly (string | number)[] => {
  const sum = (...names: readonly string[]): number => names.reduce((all, name) => all + (states[name] ?? 0), 0);
  const counts = [sum('open'), sum('vetoed', 'escalated'), sum('resolved', 'dismissed')];
  return [review, runs, verdict, fresh.length, ...counts, words, faults.length, step];
};

export const reportOf = (title: string, rows: readonly Row[]): string => {
  const cells = [COLUMNS, ...rows.map(cellsOf)].map((row) => row.map(String));
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const quiet = rows.findLast(({ fresh }) => fresh.length > 0)?.review ?? 0;
  const last = rows.at(-1);
  return [
    `${title}: quiet after round ${quiet}, ${last?.verdict} in round ${last?.review}, ${last?.runs} runs`,
    ...lines,
    ...rows.flatMap(({ step, faults }) => faults.map((fault) => `  ${step}: ${fault}`)),
    '',
  ].join('\n');
};
