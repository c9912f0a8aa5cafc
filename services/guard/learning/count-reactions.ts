/**
 * Counts people's thumbs-up and thumbs-down reactions to the findings of a change request that was merged or closed.
 * This is for the operator: no decision depends on it, so a failure is only logged. Each comment costs one request, so
 * this waits until all other work is done.
 */
import type { Logger } from 'pino';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { GivenThumb, ReadsThumbs, Thumb } from '../../../shared/forge/port-reactions.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import { countThumbs, type RatedFinding, ratedFindings } from '../../../shared/rounds/memory/finding-thumbs.ts';
import { readOwnMarkers } from '../../../shared/rounds/memory/own-markers.ts';
import type { CountedReactions } from '../../../shared/store/learning/counted-reactions.ts';
import { withTimeLimit } from '../../../shared/time-limit.ts';
import { type ChangeRequest, changeRequestKey } from '../../../shared/vocabulary/ids.ts';

export type ReactionDeps = {
  readonly counted: CountedReactions;
  readonly metrics: Pick<Metrics, 'findingReactions'>;
};

export type EndedChangeRequest = {
  readonly of: ChangeRequest;
  readonly forge: {
    readonly thumbs: ReadsThumbs;
    readonly botIds: ReadonlySet<number>;
    /** Bots that the operator lists in the settings. */
    readonly ignored: ReadonlySet<number>;
  };
  readonly fetchComments: () => Promise<readonly ForgeComment[]>;
  readonly markerSecrets: readonly string[];
  readonly log: Logger;
  readonly signal: AbortSignal;
};

/** Time limit for reading the reactions to all comments together. */
const LIMIT_MS = 60_000;

/** Contract: counts a change request once. Throws only when `signal` aborts or Redis fails. */
export const countReactions = async (deps: ReactionDeps, ended: EndedChangeRequest): Promise<void> => {
  const { of, log, signal } = ended;
  if (await deps.counted.has(of)) return;
  const rated = await readRated(ended);
  if (rated === null) return;
  signal.throwIfAborted();
  // The change request is marked before counting: a crash in between loses reactions, but none is counted twice.
  if (!(await deps.counted.mark(of))) return;
  const totals = { up: 0, down: 0 };
  for (const each of rated) {
    const thumbs = count(deps, ended, each);
    for (const thumb of THUMBS) totals[thumb] += thumbs[thumb];
  }
  log.info({ ...bindingsOf(of), findings: rated.length, ...totals }, 'reactions counted');
};

const bindingsOf = ({ forge, projectId, number }: ChangeRequest) => ({
  forge,
  project: projectId,
  changeRequest: number,
});

type Rated = { readonly finding: RatedFinding; readonly given: readonly GivenThumb[] };

/** Returns null if the forge did not answer; the next event of the change request tries again. */
const readRated = async (ended: EndedChangeRequest): Promise<readonly Rated[] | null> => {
  const { of, log, signal } = ended;
  try {
    return await withTimeLimit({ ms: LIMIT_MS, signal }, async (limited) => readAll(ended, limited));
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ ...bindingsOf(of), err: error }, 'the reactions to findings could not be read');
    return null;
  }
};

const readAll = async (ended: EndedChangeRequest, signal: AbortSignal): Promise<readonly Rated[]> => {
  const { of, forge, markerSecrets: secrets } = ended;
  const comments = await ended.fetchComments();
  const { own } = readOwnMarkers({ comments, key: changeRequestKey(of), botIds: forge.botIds, secrets });
  const rated: Rated[] = [];
  for (const finding of ratedFindings(own)) {
    const given: GivenThumb[] = [];
    for (const id of finding.commentIds) given.push(...(await forge.thumbs.fetchThumbs(of, id, signal)));
    rated.push({ finding, given });
  }
  return rated;
};

const THUMBS = ['up', 'down'] as const;

const count = (
  { metrics }: ReactionDeps,
  { of, forge: { botIds, ignored } }: EndedChangeRequest,
  { finding: { rule, model }, given }: Rated,
): Readonly<Record<Thumb, number>> => {
  const thumbs = countThumbs(given, (id) => botIds.has(id) || ignored.has(id));
  for (const thumb of THUMBS)
    if (thumbs[thumb] > 0) metrics.findingReactions.inc({ forge: of.forge, rule, model, thumb }, thumbs[thumb]);
  return thumbs;
};
