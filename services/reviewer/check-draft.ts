/** Checks a draft against the diff and the tree: places, evidence, delta, fingerprints. Guard decides based on the result. */
import type { Diff } from '../../shared/diff/model.ts';
import { findFile } from '../../shared/diff/position/find-file.ts';
import { hunksTouching } from '../../shared/diff/position/position-lines.ts';
import { type AnchorRefusal, anchor } from '../../shared/diff/position/anchor.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type {
  CheckedFinding,
  CheckedFix,
  CheckedRefutation,
  MovedThread,
  ReviewDraft,
} from '../../shared/rounds/model/draft.ts';
import type { DraftFinding } from '../../shared/vocabulary/finding.ts';
import type { OmittedFile } from '../../shared/vocabulary/coverage.ts';
import { tooManyFindings } from '../../shared/agent/submission/submission.ts';
import { compareText } from '../../shared/text/compare-text.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import { coverageOf } from './check/coverage.ts';
import type { Packet } from './packet/packet.ts';
import type { RunnerDraft } from './run/runner.ts';
import { assignFingerprints } from './check/fingerprints.ts';
import { isRefuted } from './check/refutation.ts';
import { resolvableOf } from './check/resolvable.ts';
import { settleClaim } from './check/settle-claim.ts';
import { isShownFixed } from './check/shown-fixed.ts';
import { suggestedBy } from './check/suggested-by.ts';

export type DraftIdentity = Pick<Brief, 'runId' | 'review' | 'attempt'>;

export const checkDraft = async (
  identity: DraftIdentity,
  draft: RunnerDraft,
  { packet, redact }: { readonly packet: Packet; readonly redact: Redactor },
): Promise<Omit<ReviewDraft, 'rules' | 'otherBases'>> => {
  const { kept, surplus } = gravestOf(draft.findings);
  const omitted = [...draft.omitted, ...surplus];
  const findings = await checkFindings(kept, draft, { packet, redact });
  const fixed: CheckedFix[] = [];
  for (const fix of draft.fixed ?? []) fixed.push({ ...fix, shown: await isShownFixed(fix, packet, redact) });
  const refuted: CheckedRefutation[] = [];
  for (const each of draft.refuted ?? []) refuted.push({ ...each, shown: await isRefuted(each, packet, redact) });
  return {
    v: 1,
    runId: identity.runId,
    review: identity.review,
    attempt: identity.attempt,
    head: packet.head,
    base: packet.base ?? packet.targetHead,
    targetHead: packet.targetHead,
    patchFingerprint: packet.patchFingerprint,
    summary: draft.summary,
    ...walkthroughOf(draft, packet),
    findings,
    answers: [...draft.answers],
    ...(draft.unanswered === undefined ? {} : { unanswered: [...draft.unanswered] }),
    ...(fixed.length === 0 ? {} : { fixed }),
    ...(refuted.length === 0 ? {} : { refuted }),
    ...(draft.refutedClaims === undefined ? {} : { refutedClaims: [...draft.refutedClaims] }),
    resolvable: await resolvableOf(draft, packet, redact),
    moved: movedThreads(packet, redact),
    coverage: {
      ...coverageOf({ packet, looked: draft.looked, omitted, exceeded: draft.exceeded }),
      ...(draft.notOfChange === undefined ? {} : { notOfChange: [...draft.notOfChange] }),
    },
    seenBy: draft.looked.model === null ? 'rules' : 'model',
    ran: [{ name: 'rules', paths: [...draft.looked.rules.parsed.keys()] }],
    spent: draft.spent,
    exceeded: draft.exceeded,
    validations: [],
  };
};

/** What a draft may hold. Rules, analyzers and an external reviewer together may find more. */
const MAX_FINDINGS = 500;

type Limited = { readonly kept: readonly DraftFinding[]; readonly surplus: readonly OmittedFile[] };

/** Keeps the order of the findings. */
const gravestOf = (findings: readonly DraftFinding[]): Limited => {
  if (findings.length <= MAX_FINDINGS) return { kept: findings, surplus: [] };
  const gravest = new Set(findings.toSorted((a, b) => compareText(a.severity, b.severity)).slice(0, MAX_FINDINGS));
  return { kept: findings.filter((finding) => gravest.has(finding)), surplus: [tooManyFindings(MAX_FINDINGS)] };
};

/** Keeps only the walkthrough's entries about files of the change. */
const walkthroughOf = ({ walkthrough = [] }: RunnerDraft, { diff }: Packet): Pick<ReviewDraft, 'walkthrough'> => {
  const paths = new Set(diff.files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]));
  const known = walkthrough.filter(({ path }) => paths.has(path));
  return known.length === 0 ? {} : { walkthrough: known };
};

/** Returns a null place for an open thread whose lines are gone. A closed thread keeps its old place, because a fix replaced its lines. */
const movedThreads = ({ openThreads, closedThreads, unverified, diff }: Packet, redact: Redactor): MovedThread[] =>
  [
    ...openThreads.map((thread) => ({ ...thread, at: thread.now })),
    ...[...unverified, ...closedThreads].map((thread) => ({ ...thread, at: thread.now ?? thread.place })),
  ]
    .slice(0, MAX_MOVED)
    .map(({ id, now, at, rule, citedText, inline, outside }) => ({
      findingId: id,
      place: at,
      ...(isOutside({ now, inline, outside }, diff) ? { outside: true as const } : {}),
      ...(now === null ? { gone: true as const } : {}),
      // The cited code of a rule may be a secret that only the rule recognises, so the thread of a rule is identified by its place.
      ...(rule !== null || citedText === '' ? {} : { citedCode: redact(citedText).text.slice(0, MAX_CITED) }),
    }));

type Placed = Pick<Packet['openThreads'][number], 'now' | 'inline' | 'outside'>;

/**
 * A thread on lines of the diff counts as outside when no hunk shows these lines any more, for example after a
 * retarget. Any other thread keeps its relation. If its lines are gone, they were changed, so the thread is not
 * outside.
 */
const isOutside = ({ now, inline, outside }: Placed, diff: Diff): boolean => {
  if (inline !== true) return outside === true;
  if (now === null) return false;
  const file = findFile(diff, now.path, now.side);
  return file === null || hunksTouching(file, now.side, now.startLine, now.line).length === 0;
};

const MAX_MOVED = 500;
const MAX_CITED = 4_000;

type Checking = { readonly packet: Packet; readonly redact: Redactor };

const checkFindings = async (
  claims: readonly DraftFinding[],
  { doubted }: Pick<RunnerDraft, 'doubted'>,
  { packet, redact }: Checking,
): Promise<CheckedFinding[]> => {
  const settled: Pick<CheckedFinding, 'claim' | 'evidenced'>[] = [];
  for (const drafted of claims) {
    const { claim, evidenced } = await settleClaim(drafted, { ...packet, redact });
    settled.push({ claim, evidenced: evidenced && doubted?.has(drafted) !== true });
  }
  const { openThreads, closedThreads, unverified } = packet;
  const fingerprints = assignFingerprints(
    settled.map(({ claim }) => claim),
    [...openThreads, ...closedThreads, ...unverified],
  );
  const findings: CheckedFinding[] = [];
  for (const [index, each] of settled.entries())
    findings.push(await checkFinding({ ...each, fingerprint: fingerprints[index] ?? '' }, packet));
  return findings;
};

type Settled = Pick<CheckedFinding, 'claim' | 'evidenced' | 'fingerprint'>;

const checkFinding = async ({ claim, evidenced, fingerprint }: Settled, packet: Packet): Promise<CheckedFinding> => {
  const found = anchor(packet.diff, claim);
  const hidden = packet.notOnForge.has(claim.path);
  return {
    claim,
    fingerprint,
    position: found.kind === 'anchored' && !hidden ? found.position : null,
    unplaced: found.kind !== 'anchored' ? WHY_UNPLACED[found.reason] : hidden ? NOT_ON_FORGE : null,
    evidenced,
    onChangedHunk: isOnChangedHunk(claim, packet),
    ...(await suggestedBy(claim, packet)),
  };
};

const NOT_ON_FORGE = 'the forge shows no lines of this file';

const WHY_UNPLACED: Readonly<Record<AnchorRefusal, string>> = {
  file_not_in_diff: 'the file is not part of the change',
  file_has_no_such_side: 'the file does not have this side in the change',
  file_has_no_lines: 'the change shows no lines of this file',
  combined_diff: 'the change of this file has several parents',
  line_not_in_diff: 'the line is not part of the diff',
  range_not_in_diff: 'the lines are not part of one hunk of the diff',
};

const isOnChangedHunk = (claim: DraftFinding, { delta }: Packet): boolean => {
  if (delta === null) return true;
  const file = delta.files.find(({ file }) => (claim.side === 'new' ? file.newPath : file.oldPath) === claim.path);
  if (file === undefined) return false;
  return file.hunks.some(({ hunk, state }) => {
    const [start, count] = claim.side === 'new' ? [hunk.newStart, hunk.newLines] : [hunk.oldStart, hunk.oldLines];
    return state !== 'unchanged' && claim.line >= start && claim.startLine < start + count;
  });
};
