/** Finds the claims of a submission that a verifier checks before they are posted, and shows the code of each. */
import type { Protect } from '../../../shared/agent/present-result.ts';
import type { SubmissionRules } from '../../../shared/agent/submission/read-submission.ts';
import type { Submission } from '../../../shared/agent/submission/submission.ts';
import { annotate } from '../../../shared/diff/annotate/annotate.ts';
import { findFile } from '../../../shared/diff/position/find-file.ts';
import { hunksTouching } from '../../../shared/diff/position/position-lines.ts';
import { bySeverity, isBlocking, isGrave } from '../../../shared/rounds/model/blocking.ts';
import { protectDiff } from '../../../shared/agent/prompt/protect-diff.ts';
import { cutPoint } from '../../../shared/text/cut.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { DraftFinding, Place, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import { type ClaimToVerify, MAX_CLAIM_CODE } from '../../../shared/vocabulary/verification.ts';
import { codeAround } from '../check/refutation.ts';
import { type SettledClaim, settleClaim } from '../check/settle-claim.ts';
import { quotesFix } from '../check/shown-fixed.ts';
import type { Packet } from '../packet/packet.ts';
import { hasHappened } from '../packet/thread-touch.ts';
import { withoutRepeats } from './without-repeats.ts';

export type Verifying = {
  readonly packet: Packet;
  readonly redact: Redactor;
  readonly protect: Protect;
  readonly rules: SubmissionRules;
  /** Maximum number of claims of one submission that are verified. */
  readonly max: number;
};

/** True for P0, P1 and blocking P2 claims of a model. A claim without evidence counts as unverified anyway. */
export const needsVerification = ({ claim, evidenced }: Pick<SettledClaim, 'claim' | 'evidenced'>): boolean =>
  claim.rule === null && evidenced && (isGrave(claim.severity) || isBlocking(claim));

type Found = Omit<ClaimToVerify, 'code'>;

const blockingFirst = (one: DraftFinding, other: DraftFinding): number =>
  Number(isBlocking(other)) - Number(isBlocking(one)) || bySeverity(one.severity, other.severity);

const findingClaims = async (
  submission: Submission,
  { packet, redact, rules }: Verifying,
): Promise<readonly Found[]> => {
  const news = new Set(withoutRepeats(submission, rules));
  const wanted: { readonly index: number; readonly claim: DraftFinding }[] = [];
  for (const [index, finding] of submission.findings.entries()) {
    if (!news.has(finding)) continue;
    const settled = await settleClaim(finding, { ...packet, redact });
    if (needsVerification(settled)) wanted.push({ index, claim: settled.claim });
  }
  return wanted
    .toSorted(({ claim: one }, { claim: other }) => blockingFirst(one, other))
    .map(({ index, claim: { path, side, startLine, line, severity, title, body, evidence, quotes = [] } }) => ({
      about: { kind: 'finding', index },
      path,
      side,
      startLine,
      line,
      severity,
      title: wholeTitle(title, body),
      quotes: [{ path, line: startLine, code: evidence }, ...quotes],
    }));
};

/** A P0 or P1 thread is resolved by a change elsewhere only if a verifier confirms that the change fixes it. */
const fixClaims = async ({ answers }: Submission, { packet, redact }: Verifying): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (const answer of answers) {
    const thread = packet.openThreads.find(({ id }) => id === answer.findingId);
    if (thread === undefined || !isFixElsewhere(answer, thread)) continue;
    const { evidence = '' } = answer;
    if (!(await quotesFix(thread, evidence, { packet, redact }))) continue;
    const { path, side, startLine, line } = thread.now ?? thread.place;
    found.push({
      about: { kind: 'fix', findingId: thread.id, evidence },
      path,
      side,
      startLine,
      line,
      severity: thread.severity,
      title: thread.title.slice(0, MAX_TITLE),
      quotes: [],
    });
  }
  return found;
};

const MAX_TITLE = 500;

/** If the title was cut, the body begins with the whole title. */
const wholeTitle = (title: string, body: string): string =>
  title.endsWith('…') ? (body.split('\n')[0] ?? title).slice(0, MAX_TITLE) : title;

const isFixElsewhere = ({ action }: ThreadAnswer, thread: Packet['openThreads'][number]): boolean =>
  action === 'resolve' && isGrave(thread.severity) && !hasHappened(thread);

/** The claims, blocking ones first; those beyond the limit are not verified and therefore stay unsure. */
export const createClaimsOf =
  (verifying: Verifying) =>
  async (submission: Submission, signal: AbortSignal): Promise<readonly ClaimToVerify[]> => {
    const found = [...(await findingClaims(submission, verifying)), ...(await fixClaims(submission, verifying))];
    const claims: ClaimToVerify[] = [];
    for (const claim of found.slice(0, verifying.max))
      claims.push({ ...claim, code: await codeOf(claim, verifying, signal) });
    return claims;
  };

/** A longer hunk contains too much code that is unrelated to the claim. */
const MAX_HUNK_BYTES = 8_000;

/** The hunk of the change, or the lines of the file. Secrets are removed from whole files first. */
const codeOf = async (place: Place, { packet, protect }: Verifying, signal: AbortSignal): Promise<string> => {
  const { diff, headText, baseText } = packet;
  const file = findFile(diff, place.path, place.side);
  const hunks = file === null ? [] : hunksTouching(file, place.side, place.startLine, place.line);
  if (file !== null && hunks.length > 0) {
    const safe = await protectDiff([{ ...file, hunks }], { headText, baseText, protect }, signal);
    const { text, omitted } = annotate(safe, { maxBytes: MAX_HUNK_BYTES });
    if (omitted.length === 0) return text;
  }
  const read = (text: typeof headText) => async (path: string) => {
    const found = await text(path);
    return found === null ? null : protect(found, signal);
  };
  const code = await codeAround({ now: place }, { headText: read(headText), baseText: read(baseText) });
  return code.slice(0, cutPoint(code, MAX_CLAIM_CODE));
};
