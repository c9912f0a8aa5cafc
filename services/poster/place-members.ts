/** Finds other open change requests with the same head, and the status of each. */
import type { ChangeRequestFacts, OpenChangeRequest } from '../../shared/forge/port-facts.ts';
import { MarkerOfOtherVersionError } from '../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../shared/rounds/model/history.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import { type Member, statusByMarkers } from '../../shared/rounds/plan/place-status.ts';
import type { StatusPlace } from '../../shared/vocabulary/status-place.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { Posting } from './deps.ts';

/** If the list has more pages, its members count as unknown, and no status passes. */
const MAX_PAGES = 100;

const MAX_MEMBERS = 20;

export type Members =
  | {
      readonly kind: 'known';
      readonly members: readonly Member[];
      /** A member through which the status can be written; null if there are no members. */
      readonly any: ChangeRequestFacts | null;
    }
  | { readonly kind: 'unknown'; readonly why: string };

type Asking = Omit<Posting, 'log'>;

/** `part`: `statusPlace` of the change request. */
export const readMembers = async (posting: Asking, place: StatusPlace, part: string | undefined): Promise<Members> => {
  const { deps, plan } = posting;
  const found = await listAt(posting, place);
  if (found === null) return { kind: 'unknown', why: 'There are too many open change requests to list' };
  const others = found.filter(({ changeRequest }) => changeRequest.number !== plan.changeRequest.number);
  const counted = others.filter(({ targetBranch }) => deps.countsTarget(targetBranch));
  if (counted.length > MAX_MEMBERS) return { kind: 'unknown', why: 'Too many change requests contain this commit' };
  if (counted.length > 0) await deps.shared.mark(place);
  const members: Member[] = [];
  let any: ChangeRequestFacts | null = null;
  for (const { changeRequest } of counted) {
    const facts = await posting.forge.read.fetchChangeRequest(changeRequest, posting.signal);
    if (facts?.state !== 'open' || facts.head !== place.head || !deps.countsTarget(facts.targetBranch)) continue;
    // A change request with another status place does not share the status.
    if (facts.statusPlace !== part) continue;
    members.push({ number: changeRequest.number, status: await readStatus(posting, facts) });
    any = facts;
  }
  return { kind: 'known', members, any };
};

/** Reads the status of the current input from the bot's markers. */
export const readStatus = async (posting: Asking, facts: ChangeRequestFacts): Promise<PlannedStatus> =>
  statusByMarkers(await readHistory(posting, facts.changeRequest), inputOf(facts));

/** Null if another version of Fixpoint wrote a comment of the bot that this version cannot read. */
export const readStatusIfReadable = async (
  posting: Asking,
  facts: ChangeRequestFacts,
): Promise<PlannedStatus | null> => {
  try {
    return await readStatus(posting, facts);
  } catch (error) {
    if (error instanceof MarkerOfOtherVersionError) return null;
    throw error;
  }
};

export const readHistory = async ({ deps, forge, signal }: Asking, of: ChangeRequest): Promise<History> => {
  const comments = await forge.read.fetchComments(of, signal);
  const { botIds } = forge;
  return rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets: deps.markerSecrets });
};

/**
 * Returns null if the list has more than `MAX_PAGES` pages. A change request that the forge itself cannot read does not
 * count: nobody can merge it.
 */
const listAt = async ({ forge, signal }: Asking, place: StatusPlace): Promise<readonly OpenChangeRequest[] | null> => {
  const found: OpenChangeRequest[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const project = { id: place.projectId, path: '' };
    const answer = await forge.read.readOpenPage(project, { page, tag: null }, signal);
    if (answer === null) return null;
    found.push(...answer.open.filter(({ head }) => head === place.head));
    if (answer.last) return found;
  }
  return null;
};
