/** Announces a run in the commit status, and finds the run of another process that was announced before. */
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { announcementUrl } from '../../shared/rounds/memory/announcement-url.ts';
import { claimsIn, rivalOf } from '../../shared/rounds/memory/claims.ts';
import type { OtherRun } from '../../shared/rounds/model/events.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import type { PlannedStatus } from '../../shared/rounds/model/posting/post-plan.ts';
import type { Announcement } from '../../shared/rounds/model/run.ts';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { Posting } from './deps.ts';
import { readStatus } from './place-members.ts';
import { readAll, type Reading } from './read-own.ts';
import { settleVerdict } from './settle-verdict.ts';
import { fetchStatuses } from './standing-status.ts';
import { type SaidStatus, writeStatus } from './write-status.ts';

/** The status of a run that does not change the verdict. */
const ANSWERING: PlannedStatus = { state: 'pending', description: 'Answering in threads' };

export type RunClaim = {
  /** The other run, which continues while this run stops. */
  readonly rival: OtherRun | null;
  /** The status that announces the run. If null, the summary has to announce it. */
  readonly said: SaidStatus | null;
  /** True when no summary exists. A new comment would send an email. */
  readonly isQuiet: boolean;
};

const UNCLAIMED: RunClaim = { rival: null, said: null, isQuiet: false };

/**
 * The status is written first, even if the summary also announces the run. The forge keeps all statuses in one order,
 * or keeps the first open status. Of two edits of the summary, only the last is visible.
 */
export const claimRun = async (
  posting: Posting,
  facts: ChangeRequestFacts,
  { own }: Pick<Reading, 'own'>,
): Promise<RunClaim> => {
  const { forge, plan } = posting;
  const { announcement } = plan;
  const isQuiet = !own.some(({ payload }) => payload.kind === 'summary');
  const url = announcement === null ? null : urlFor(posting, announcement, facts);
  if (announcement === null || url === null || (plan.status === null && !isQuiet)) return UNCLAIMED;
  if (isQuiet) await settleVerdict(posting, facts);
  const said = await announceInStatus({ ...posting, statusUrl: url }, facts);
  const rival = said !== null && !forge.keepsStatuses ? null : await findRival(posting, announcement, facts);
  return { rival, said, isQuiet };
};

/** Null if the status does not announce the run. */
const announceInStatus = async (posting: Posting, facts: ChangeRequestFacts): Promise<SaidStatus | null> => {
  const { deps, plan, log } = posting;
  deps.checkpoint('before-status');
  const status = plan.status ?? ANSWERING;
  const said = await writeStatus({ ...posting, plan: { ...plan, status } }, facts);
  // Another change request may hold the status, or the forge may refuse it.
  const isAnnounced = said !== null && said.unset === null && said.status.description === status.description;
  if (isAnnounced) deps.checkpoint('after-status');
  else
    log.info({ unset: said?.unset ?? null }, 'cannot announce the run in the commit status; posting a comment instead');
  return isAnnounced ? said : null;
};

const findRival = async (
  posting: Posting,
  announcement: Announcement,
  facts: ChangeRequestFacts,
): Promise<OtherRun | null> =>
  rivalOf(announcement, claimsIn(await fetchStatuses(posting), wishOf(posting)), inputOf(facts));

const placeOf = ({ plan }: Posting) => ({ key: changeRequestKey(plan.changeRequest), head: plan.head });

const wishOf = (posting: Posting): Parameters<typeof claimsIn>[1] => {
  const { deps, forge } = posting;
  const { botIds } = forge;
  return { context: deps.statusContext, at: placeOf(posting), secrets: deps.markerSecrets, botIds };
};

const urlFor = (posting: Posting, announcement: Announcement, { webUrl }: ChangeRequestFacts): string | null => {
  const { deps, forge } = posting;
  const [secret] = deps.markerSecrets;
  return announcementUrl(announcement, {
    at: placeOf(posting),
    pageUrl: webUrl,
    secret,
    maxLength: forge.maxTargetUrl,
  });
};

type Claimed = { readonly claim: RunClaim; readonly before: Reading };

/**
 * Another process may have completed its review before this one announced itself. If the forge keeps all statuses, they
 * show whether this happened. Otherwise the change request is read again to see whether anything was written since.
 */
export const readAfterClaim = async (
  posting: Posting,
  facts: ChangeRequestFacts,
  { claim, before }: Claimed,
): Promise<Reading> => {
  const { forge, plan, signal } = posting;
  if (claim.said === null) return readAll(posting);
  if (forge.keepsStatuses) return before;
  const now = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  return now?.updatedAtMs === facts.updatedAtMs ? before : readAll(posting);
};

export type GaveWay = { readonly gaveWayTo: OtherRun };

/** The announcement may have replaced the status of a review that the other process has completed. */
export const yieldTo = async (posting: Posting, facts: ChangeRequestFacts, other: OtherRun): Promise<GaveWay> => {
  const { plan, log } = posting;
  const status = await readStatus(posting, facts);
  if (status.state !== 'pending') await writeStatus({ ...posting, plan: { ...plan, status } }, facts);
  log.info({ run: plan.runId, other: other.run }, 'another process is reviewing this input; stopping here');
  const { run, review, attempt, until } = other;
  return { gaveWayTo: { run, review, attempt, until } };
};
