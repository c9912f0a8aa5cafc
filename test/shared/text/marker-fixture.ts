import { CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';
import { signatureOf } from '../../../shared/rounds/memory/marker.ts';
import {
  FindingMarker,
  type LedgerEntry,
  type MarkerPayload,
  SummaryMarker,
} from '../../../shared/rounds/model/marker-payload.ts';

/** The marker of a version that knows one more kind. */
export const markerOfNewer = (secret: string): string => {
  const encoded = Buffer.from(JSON.stringify({ ...finding, kind: 'constellation' }), 'utf8').toString('base64');
  return `<!-- fixpoint:1 ${encoded}.${signatureOf(encoded, secret).toString('hex')} -->`;
};

const HEAD = CommitSha.parse('a1'.repeat(20));
const BASE = CommitSha.parse('b2'.repeat(20));
const COMMON = { cr: 'main.12.7', review: 2, attempt: 1, run: RunId.parse('run0000000001') };

export const entry = (changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: 'F-001',
  fp: 'aa'.repeat(16),
  severity: 'P2',
  blocking: false,
  state: 'open',
  count: 1,
  stance: 'seeks_change',
  review: 1,
  path: 'src/a.ts',
  side: 'new',
  line: 3,
  rule: null,
  title: 'Überlauf 😀 -->',
  ...changes,
});

export const summary: SummaryMarker = SummaryMarker.parse({
  ...COMMON,
  kind: 'summary',
  phase: 'reviewing',
  head: HEAD,
  target: 'main',
  targetHead: BASE,
  mergeBase: BASE,
  base: BASE,
  until: 1_900_000_000,
  runs: 3,
  superseded: 1,
  verdict: null,
  reviewed: [
    {
      head: HEAD,
      base: BASE,
      fingerprint: 'cc'.repeat(32),
      target: 'main',
      targetHead: BASE,
      rules: 'ee'.repeat(16),
      review: 1,
      verdict: 'feedback',
    },
  ],
  ledger: [entry()],
  spent: { turns: 1, modelCalls: 2, inputTokens: 3, outputTokens: 4, cachedTokens: 5, costUsd: 0.25, wallMs: 6 },
  nextId: 1,
});

export const finding: FindingMarker = FindingMarker.parse({
  ...COMMON,
  kind: 'finding',
  id: 'F-001',
  fp: 'aa'.repeat(16),
  count: 0,
  stance: 'seeks_change',
  severity: 'P0',
  blocking: true,
  state: 'open',
  head: HEAD,
  base: BASE,
  path: 'src/a b.ts',
  side: 'new',
  startLine: 3,
  line: 4,
  title: 'Something -- with --> an end',
  rule: null,
  patch: null,
});

const AT_HEAD = { ...COMMON, head: HEAD };

/** One of each kind. */
export const PAYLOADS: readonly MarkerPayload[] = [
  summary,
  finding,
  {
    ...AT_HEAD,
    kind: 'reply',
    id: 'F-012',
    fp: 'dd'.repeat(16),
    action: 'veto',
    count: 2,
    stance: 'seeks_change',
    severity: 'P1',
  },
  {
    ...AT_HEAD,
    kind: 'handoff',
    episode: 2,
    target: 'main',
    targetHead: BASE,
    mergeBase: BASE,
    reason: 'max_rounds_exceeded',
  },
  { ...AT_HEAD, kind: 'notice', verdict: 'lgtm' },
  { ...COMMON, kind: 'answer', note: '4711' },
  { ...AT_HEAD, kind: 'raw' },
];
