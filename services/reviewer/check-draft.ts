/** Checks a draft against the diff and the tree: places, evidence, delta, fingerprints. Guard decides based on the result. */
import { createHash } from 'node:crypto';
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
  const findings = await checkFindings(kept, draft, { packet, redact, ordinals: new Map() });
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

type Checking = { readonly packet: Packet; readonly redact: Redactor; readonly ordinals: Map<string, number> };

const checkFindings = async (
  claims: readonly DraftFinding[],
  { doubted }: Pick<RunnerDraft, 'doubted'>,
  checking: Checking,
): Promise<CheckedFinding[]> => {
  const findings: CheckedFinding[] = [];
  for (const claim of claims) {
    const checked = await checkFinding(claim, checking);
    findings.push(doubted?.has(claim) === true ? { ...checked, evidenced: false } : checked);
  }
  return findings;
};

const checkFinding = async (drafted: DraftFinding, checking: Checking): Promise<CheckedFinding> => {
  const { packet, redact } = checking;
  const { claim, evidenced } = await settleClaim(drafted, { ...packet, redact });
  const found = anchor(packet.diff, claim);
  const hidden = packet.notOnForge.has(claim.path);
  return {
    claim,
    fingerprint: fingerprintOf(claim, checking.ordinals),
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

/** Identifies a finding by path, title or rule, and cited code, even if its lines move. A counter distinguishes repeated code. */
export const fingerprintOf = (claim: DraftFinding, ordinals: Map<string, number>): string => {
  const subject =
    claim.rule ??
    claim.title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const code = claim.evidence.replaceAll(/\s+/g, ' ').trim();
  const key = JSON.stringify([claim.path, claim.side, subject, code]);
  const ordinal = ordinals.get(key) ?? 0;
  ordinals.set(key, ordinal + 1);
  return createHash('sha256').update(`${key} ${ordinal}`).digest('hex').slice(0, 32);
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
