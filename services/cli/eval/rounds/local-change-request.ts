/** A change request that only this process knows: its facts, the policy for it, and the events of its pushes. */
import { DEFAULT_SETTINGS } from '../../../../shared/config/schema.ts';
import type { ChangeRequestFacts } from '../../../../shared/forge/port-facts.ts';
import type { Facts } from '../../../../shared/rounds/model/facts.ts';
import type { ForgeEvent } from '../../../../shared/rounds/model/events.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { policyOf } from '../../../guard/policy.ts';
import { LOCAL_PAYER } from '../../review/local-runners.ts';
import type { ChangeWords } from '../../review/review-local.ts';

/** The name of this account is where people would mention the bot. */
export const BOT = { id: 1, login: 'fixpoint' } as const;
const AUTHOR = { id: 2, login: 'author' } as const;

export const LOCAL_CHANGE_REQUEST = LOCAL_PAYER.changeRequest;

/** Nobody opens this address. */
export const PAGE = 'http://localhost/change-request';

export const factsAt = (
  { title, description }: ChangeWords,
  { base, head }: { readonly base: CommitSha; readonly head: CommitSha },
): ChangeRequestFacts => ({
  changeRequest: LOCAL_CHANGE_REQUEST,
  state: 'open',
  draft: false,
  title,
  description,
  author: AUTHOR,
  labels: [],
  head,
  targetHead: base,
  sourceBranch: 'change',
  targetBranch: 'main',
  mergeBase: base,
  fromFork: false,
  reviewers: [],
  updatedAtMs: 0,
  webUrl: PAGE,
});

/** Everything that people could have done: nothing. */
export const NOTHING_ASKED = {
  botIds: new Set<number>([BOT.id]),
  mention: BOT.login,
  otherBotIds: new Set<number>(),
  requests: [],
  orders: [],
  seenCommands: { untilMs: 0, keys: [] },
  answers: [],
  fix: null,
  ci: null,
} satisfies Partial<Facts>;

/** The defaults of a server, without CI and without waiting for more pushes. */
export const LOCAL_POLICY: Policy = policyOf({
  ...DEFAULT_SETTINGS,
  review: { ...DEFAULT_SETTINGS.review, quietSeconds: 0 },
  gate: { ...DEFAULT_SETTINGS.gate, waitForCi: false },
});

export const pushEvent = (push: number, head: CommitSha, atMs: number): ForgeEvent => ({
  source: 'forge',
  kind: push === 0 ? 'opened' : 'pushed',
  id: `push-${push}`,
  atMs,
  head,
  noteId: null,
  actorId: AUTHOR.id,
  requestedReviewerId: null,
});
