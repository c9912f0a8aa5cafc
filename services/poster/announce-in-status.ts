/** Announces a run in the commit status while the forge has no summary: a new comment would send mail. */
import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { announcementUrl } from '../../shared/rounds/memory/announcement-url.ts';
import type { PlannedStatus } from '../../shared/rounds/model/post-plan.ts';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { Posting } from './deps.ts';
import type { Reading } from './read-own.ts';
import { settleVerdict } from './settle-verdict.ts';
import { writeStatus } from './write-status.ts';

/** For an announcement that leaves the verdict as it is. */
const ANSWERING: PlannedStatus = { state: 'pending', description: 'Answering in threads' };

/** False: the summary has to announce the run, because it exists or because no status can. */
export const announceInStatus = async (
  posting: Posting,
  facts: ChangeRequestFacts,
  { own }: Pick<Reading, 'own'>,
): Promise<boolean> => {
  const { deps, plan, log } = posting;
  // Guard reads the status only without any summary, also of an earlier account.
  const statusUrl = own.some(({ payload }) => payload.kind === 'summary') ? null : urlFor(posting, facts);
  if (statusUrl === null) return false;
  await settleVerdict(posting, facts);
  deps.checkpoint('before-status');
  const status = plan.status ?? ANSWERING;
  const said = await writeStatus({ ...posting, plan: { ...plan, status }, statusUrl }, facts);
  // Another change request may hold the status, or the forge may refuse it.
  const isAnnounced = said !== null && said.unset === null && said.status.description === status.description;
  if (isAnnounced) deps.checkpoint('after-status');
  else log.info({ unset: said?.unset ?? null }, 'the status cannot announce the run; a comment does');
  return isAnnounced;
};

const urlFor = ({ deps, forge, plan }: Posting, { webUrl }: ChangeRequestFacts): string | null => {
  if (plan.announcement === null) return null;
  const at = { key: changeRequestKey(plan.changeRequest), head: plan.head };
  const [secret] = deps.markerSecrets;
  return announcementUrl(plan.announcement, { at, pageUrl: webUrl, secret, maxLength: forge.maxTargetUrl });
};
