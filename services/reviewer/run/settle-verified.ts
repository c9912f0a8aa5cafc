/**
 * Applies the verifiers' results to a submission: refuted claims are dropped, and unsure claims cannot block by
 * themselves.
 */
import type { Submission } from '../../../shared/agent/submission/submission.ts';
import { isBlocking, isGrave } from '../../../shared/rounds/model/blocking.ts';
import type { RefutedClaim } from '../../../shared/rounds/model/draft.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import type { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';
import type { VerifierAnswer, VerifiedClaim } from '../../../shared/vocabulary/verification.ts';
import { mayRefute } from '../check/claim-refuted.ts';
import { settleClaim } from '../check/settle-claim.ts';
import type { Packet } from '../packet/packet.ts';
import { needsVerification } from './claims-to-verify.ts';

export type SettledSubmission = {
  readonly findings: readonly DraftFinding[];
  /** P0 and P1 of `findings` that no verifier confirmed. */
  readonly doubted: ReadonlySet<DraftFinding>;
  readonly refutedClaims: readonly RefutedClaim[];
  /** P0 and P1 threads whose fix elsewhere a verifier confirmed. */
  readonly verifiedFixes: ReadonlySet<FindingId>;
};

type Settling = { readonly packet: Packet; readonly redact: Redactor };

const NOTHING_VERIFIED = { doubted: new Set<DraftFinding>(), refutedClaims: [], verifiedFixes: new Set<FindingId>() };

/** If `verified` is undefined, claims are not verified: they are judged by their evidence alone. */
export const settleVerified = async (
  { findings }: Pick<Submission, 'findings'>,
  verified: readonly VerifiedClaim[] | undefined,
  settling: Settling,
): Promise<SettledSubmission> => {
  if (verified === undefined) return { findings, ...NOTHING_VERIFIED };
  const kept: DraftFinding[] = [];
  const doubted = new Set<DraftFinding>();
  const refutedClaims: RefutedClaim[] = [];
  for (const [index, finding] of findings.entries()) {
    const verification = verificationOf(index, verified);
    const standing = await standingOf(finding, verification, settling);
    if (standing === 'refuted') refutedClaims.push(refuted(finding, verification));
    else if (standing === 'unsure' && !isGrave(finding.severity)) kept.push({ ...finding, blocking: false });
    else {
      if (standing === 'unsure') doubted.add(finding);
      kept.push(finding);
    }
  }
  return { findings: kept, doubted, refutedClaims, verifiedFixes: fixesIn(verified) };
};

const verificationOf = (index: number, verified: readonly VerifiedClaim[]): VerifierAnswer | undefined =>
  verified.find(({ about }) => about.kind === 'finding' && about.index === index)?.verification;

const standingOf = async (
  finding: DraftFinding,
  verification: VerifierAnswer | undefined,
  { packet, redact }: Settling,
): Promise<'as_said' | 'refuted' | 'unsure'> => {
  if (verification?.outcome === 'confirmed') return 'as_said';
  const isRefuted = verification?.outcome === 'refuted';
  if (isRefuted && (await mayRefute(verification.evidence, finding, { ...packet, redact }))) return 'refuted';
  const settled = await settleClaim(finding, { ...packet, redact });
  // A finding that does not block is posted without a verifier's proof.
  return needsVerification(settled) && isBlocking(settled.claim) ? 'unsure' : 'as_said';
};

const refuted = ({ title, path, line }: DraftFinding, verification: VerifierAnswer | undefined): RefutedClaim => ({
  title,
  path,
  line,
  evidence: verification?.evidence?.code ?? '',
});

const fixesIn = (verified: readonly VerifiedClaim[]): ReadonlySet<FindingId> =>
  new Set(
    verified.flatMap(({ about, verification }) =>
      about.kind === 'fix' && verification.outcome === 'confirmed' ? [about.findingId] : [],
    ),
  );
