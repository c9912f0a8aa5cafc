/** One step of the story: what the forge shows at its end, read back as a person would see it. */
import { stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import type { FindingMarker, SummaryMarker } from '../../../shared/rounds/model/marker-payload.ts';
import { NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { type CodeLine, codeAt } from './code-at.ts';
import type { DemoSight, Said } from './forge.ts';
import { findingIn, summaryIn } from './markers-in.ts';

/** Against the step before. */
export type Change = 'new' | 'changed' | 'same';

export type StepThread = {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly severity: FindingMarker['severity'];
  /** The built-in rule that made the claim; null for the model. */
  readonly rule: string | null;
  readonly state: FindingMarker['state'];
  /** As it was when the thread was opened. */
  readonly code: readonly CodeLine[];
  readonly comments: readonly Said[];
  readonly change: Change;
};

export type Step = {
  readonly name: string;
  /** What happened, for the reader of the page. */
  readonly what: string;
  /** Number of the review that this step brought; null for answers between two reviews. */
  readonly review: number | null;
  readonly head: string;
  readonly verdict: string;
  readonly status: { readonly state: string; readonly text: string };
  readonly summary: { readonly body: string; readonly change: Change };
  /** Comments on the change request as a whole, without the summary. */
  readonly comments: readonly (Said & { readonly change: Change })[];
  readonly threads: readonly StepThread[];
  /** All that the change request has cost so far. */
  readonly spent: Spent;
  readonly seconds: number;
};

export type StepSource = {
  readonly about: Pick<Step, 'name' | 'what' | 'review' | 'seconds'>;
  readonly sight: DemoSight;
  /** Diff of the whole change, as git prints it. */
  readonly diff: string;
  readonly markerSecret: string;
  readonly before: Step | null;
};

const shown = ({ author, body }: Said): Said => ({ author, body: stripMarkers(body).trim() });

const isSame = (one: Said, other: Said): boolean => one.author === other.author && one.body === other.body;

type Inline = DemoSight['inline'][number];

const isSamePlace = (one: Inline, other: Inline): boolean =>
  one.path === other.path && one.line === other.line && one.side === other.side;

const changeOf = (thread: Omit<StepThread, 'change'>, before: StepThread | undefined): Change => {
  if (before === undefined) return 'new';
  const isUntouched =
    before.state === thread.state && JSON.stringify(before.comments) === JSON.stringify(thread.comments);
  return isUntouched ? 'same' : 'changed';
};

const threadsOf = ({ sight, diff, markerSecret, before }: StepSource, summary: SummaryMarker | null) =>
  sight.inline.flatMap((first): readonly StepThread[] => {
    const marker = findingIn(first.body, markerSecret);
    if (marker === null) return [];
    const { id, severity, rule } = marker;
    const earlier = before?.threads.find((thread) => thread.id === id);
    const { path, line } = first;
    const thread = {
      id,
      path,
      line,
      severity,
      rule,
      state: summary?.ledger.find((entry) => entry.id === id)?.state ?? marker.state,
      code: earlier?.code ?? codeAt(diff, first),
      comments: sight.inline.filter((each) => isSamePlace(each, first)).map(shown),
    };
    return [{ ...thread, change: changeOf(thread, earlier) }];
  });

const summaryText = ({ sight, markerSecret, before }: StepSource): Step['summary'] => {
  const found = sight.comments.find(({ body }) => summaryIn(body, markerSecret) !== null);
  const body = found === undefined ? '' : shown(found).body;
  if (before === null || before.summary.body === '') return { body, change: 'new' };
  return { body, change: before.summary.body === body ? 'same' : 'changed' };
};

const otherComments = ({ sight, markerSecret, before }: StepSource): Step['comments'] =>
  sight.comments
    .filter(({ body }) => summaryIn(body, markerSecret) === null)
    .map(shown)
    .filter(({ body }) => body !== '')
    .map((said) => ({
      ...said,
      change: before?.comments.some((each) => isSame(each, said)) === true ? 'same' : 'new',
    }));

export const markedSummary = (sight: DemoSight, markerSecret: string): SummaryMarker | null =>
  sight.comments.map(({ body }) => summaryIn(body, markerSecret)).find((marker) => marker !== null) ?? null;

export const takeStep = (source: StepSource): Step => {
  const { sight, markerSecret, about } = source;
  const summary = markedSummary(sight, markerSecret);
  return {
    ...about,
    head: sight.head,
    verdict: summary?.verdict ?? 'none',
    status: { state: sight.headStatuses['fixpoint'] ?? 'none', text: sight.statusText },
    summary: summaryText(source),
    comments: otherComments(source),
    threads: threadsOf(source, summary),
    spent: summary?.spent ?? NOTHING_SPENT,
  };
};
