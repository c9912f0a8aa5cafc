/** Many change requests with pushes at different paces, and what must hold for each of them at the end. */
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { MarkerPayload, SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { AUTHOR, type Fleet } from '../support/fleet.ts';
import { until } from '../support/fleet-queues.ts';
import { statusOf, type Told } from '../support/fleet-story.ts';

export type Member = Told & { readonly pushes: number };

export type CrowdWish = { readonly size: number; readonly pushes: number };

/** When the next push happens: at once, when the previous head's review has begun, or when it has its verdict. */
const PACES = ['at once', 'while it is reviewed', 'when it has a verdict'] as const;

const END_MS = 400_000;

/** Every push adds one file with one blocking defect. */
const push = async ({ sim }: Fleet, { repo, branch }: Told, index: number): Promise<void> => {
  const files = { [`step-${index}.js`]: `export const step${index} = (text) => eval(text);\n` };
  await sim.commitFiles({ repo, branch, files, message: `Step ${index} of ${branch}\n`, author: AUTHOR });
};

const open = async (fleet: Fleet, index: number): Promise<Told> => {
  const repo = fleet.repos[index % fleet.repos.length] ?? '';
  const told = { repo, branch: `crowd-${index}`, number: 0 };
  await push(fleet, told, 0);
  const pull = await fleet.sim.openPullRequest({ repo, head: told.branch, title: `Change ${index}`, author: AUTHOR });
  return { ...told, number: pull.number };
};

const hasVerdict = (fleet: Fleet, told: Told): boolean => !['pending', undefined].includes(statusOf(fleet, told));

const pushOn = async (
  fleet: Fleet,
  told: Told,
  { index, pushes }: { index: number; pushes: number },
): Promise<void> => {
  const pace = PACES[index % PACES.length];
  for (let each = 1; each <= pushes; each += 1) {
    if (pace === 'while it is reviewed') await until(() => statusOf(fleet, told) !== undefined, END_MS);
    if (pace === 'when it has a verdict') await until(() => hasVerdict(fleet, told), END_MS);
    await push(fleet, told, each);
  }
};

export const playCrowd = async (fleet: Fleet, { size, pushes }: CrowdWish): Promise<readonly Member[]> =>
  Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const told = await open(fleet, index);
      await pushOn(fleet, told, { index, pushes });
      await until(() => hasVerdict(fleet, told), END_MS);
      return { ...told, pushes };
    }),
  );

export type MemberReport = {
  readonly summaries: number;
  readonly rounds: readonly number[];
  readonly headsReviewedTwice: readonly string[];
  readonly newestReviewed: boolean;
  readonly openings: readonly string[];
  /** Keys of findings, answers and notices that were posted more than once. */
  readonly saidTwice: readonly string[];
};

export const reportOn = (fleet: Fleet, { repo, number }: Told): MemberReport => {
  const { comments, reviews, head } = fleet.sim.snapshot(repo, number);
  const inline = reviews.flatMap((review) => review.inline);
  const own = [...comments, ...reviews, ...inline].flatMap(({ body }) => payloadsOf(fleet, body));
  const summaries = own.filter((payload): payload is SummaryMarker => payload.kind === 'summary');
  const reviewed = summaries.flatMap((summary) => summary.reviewed);
  return {
    summaries: summaries.length,
    rounds: reviewed.map(({ review }) => review),
    headsReviewedTwice: repeated(reviewed.map((each) => each.head)),
    newestReviewed: reviewed.at(-1)?.head === head,
    openings: own.flatMap((payload) => (payload.kind === 'finding' ? [payload.path] : [])).toSorted(),
    saidTwice: repeated(own.flatMap(keyOf)),
  };
};

const payloadsOf = ({ settings }: Fleet, body: string): readonly MarkerPayload[] =>
  readMarkers(body, [settings.markerSecret]).flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : []));

const keyOf = (payload: MarkerPayload): readonly string[] => {
  switch (payload.kind) {
    case 'finding':
      return [`finding ${payload.path} ${payload.line}`];
    case 'reply':
      return [`reply ${payload.fp} ${payload.review}`];
    case 'notice':
      return [`notice ${payload.review}`];
    case 'handoff':
      return [`handoff ${payload.head}`];
    case 'decline':
      return [`decline ${payload.fp} ${payload.review}`];
    case 'fix':
      return [`fix ${payload.number}`];
    case 'raw':
      return [`raw ${payload.run}`];
    // The summary is counted separately.
    case 'summary':
    case 'answer':
      return [];
    default:
      return payload satisfies never;
  }
};

const repeated = (all: readonly string[]): readonly string[] =>
  all.filter((each, index) => all.indexOf(each) !== index);

/** The expected report of a change request that took `rounds` rounds. */
export const healthy = ({ pushes }: Member, rounds: number): MemberReport => ({
  summaries: 1,
  rounds: Array.from({ length: rounds }, (_, index) => index + 1),
  headsReviewedTwice: [],
  newestReviewed: true,
  openings: Array.from({ length: pushes + 1 }, (_, index) => `step-${index}.js`).toSorted(),
  saidTwice: [],
});
