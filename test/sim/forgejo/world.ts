/** The whole state of one simulated forge, in memory, except git objects. */
import type { Mail } from '../shared/mail-log.ts';
import type { Traits } from './traits.ts';

export type SimUser = {
  readonly id: number;
  login: string;
  readonly isAdmin: boolean;
  /** Removed accounts keep their id; what they wrote is shown as the ghost user's. */
  deleted: boolean;
  /** Set for organisations, which share the namespace of users. */
  readonly organization?: SimOrganization;
};

export type SimOrganization = {
  /** Ids of the members of the team "Owners", who may do everything in its projects. */
  readonly owners: Set<number>;
  readonly hooks: SimHook[];
};

export type SimToken = {
  readonly value: string;
  readonly user: SimUser;
  /** `write:repository` and so on; `all` allows everything. */
  readonly scopes: readonly string[];
};

export type AccessLevel = 'none' | 'read' | 'write' | 'admin' | 'owner';

export type SimHook = {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  events: ReadonlySet<string>;
  readonly contentType: 'json' | 'form';
  readonly kind: 'forgejo' | 'gitea';
  readonly createdAt: number;
  active: boolean;
};

export type SimStatus = {
  readonly id: number;
  readonly sha: string;
  readonly state: string;
  readonly context: string;
  readonly description: string;
  readonly targetUrl: string;
  readonly creator: SimUser;
  readonly createdAt: number;
  /** Gitea 1.27 uses the workflow to distinguish equal contexts, but never shows it. */
  readonly workflow: string;
};

export type SimActionRun = {
  readonly id: number;
  readonly sha: string;
  readonly workflow: string;
  readonly event: string;
  /** Forgejo's name of the state, such as `running` or `success`. */
  status: string;
};

export type SimLabel = { readonly id: number; readonly name: string; readonly color: string };

/** Issues and pull requests of a repository share their numbers. */
export type SimIssue = {
  readonly id: number;
  readonly number: number;
  readonly author: SimUser;
  readonly title: string;
  readonly body: string;
  readonly createdAt: number;
};

export type SimRepo = {
  readonly id: number;
  readonly owner: SimUser;
  name: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly branchesSince: Map<string, number>;
  readonly protectedBranches: Set<string>;
  readonly gitDir: string;
  archived: boolean;
  /** The repository's pull request unit. When disabled, pull requests cannot be created, read or listed. */
  hasPullRequests: boolean;
  readonly parent: SimRepo | null;
  readonly createdAt: number;
  readonly collaborators: Map<number, AccessLevel>;
  readonly pulls: SimPull[];
  readonly issues: SimIssue[];
  readonly hooks: SimHook[];
  readonly statuses: SimStatus[];
  readonly actionRuns: SimActionRun[];
  readonly requiredContexts: Map<string, readonly string[]>;
  readonly labels: SimLabel[];
};

export type SimReviewState = 'PENDING' | 'COMMENT' | 'APPROVED' | 'REQUEST_CHANGES' | 'REQUEST_REVIEW';

export type SimReview = {
  readonly id: number;
  readonly author: SimUser;
  state: SimReviewState;
  body: string;
  commitId: string;
  official: boolean;
  stale: boolean;
  dismissed: boolean;
  submittedAt: number;
  updatedAt: number;
  /** The review's comment in the timeline; 0 while it only holds comments of a failed submission, and once deleted. */
  timelineId: number;
};

export type SimCodePlace = {
  readonly reviewId: number;
  readonly path: string;
  /** Signed as the forge stores it: negative for the old file. */
  readonly line: number;
  /** The sent line, with the same sign rule; kept for tests, not stored by the real forge. */
  readonly sentLine: number;
  readonly commitId: string;
  /** Excerpt around the line; empty when the line is not in the diff. */
  readonly diffHunk: string;
  readonly extraLines: number;
};

export type SimReaction = { readonly user: SimUser; readonly content: string; readonly createdAt: number };

/** A `comment_ref` whose comment was deleted. */
export const LOST_REFERENCE = 'lost_reference';

export type SimComment = {
  readonly id: number;
  /** `comment`, `code`, `review`, `LOST_REFERENCE`, or the forge's name of an event such as `pull_push`. */
  readonly kind: string;
  readonly author: SimUser;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
  readonly code: SimCodePlace | null;
  readonly reviewId: number;
  resolver: SimUser | null;
  readonly reactions: SimReaction[];
};

export type SimPull = {
  readonly id: number;
  readonly number: number;
  readonly repo: SimRepo;
  readonly author: SimUser;
  title: string;
  body: string;
  state: 'open' | 'closed';
  merged: boolean;
  mergedBy: SimUser | null;
  mergeCommit: string | null;
  /** Null when the fork was deleted. */
  headRepo: SimRepo | null;
  /** Name in the API: the branch, or `refs/pull/N/head` when that branch does not exist. */
  headRef: string;
  /** The branch from which the pull request was opened, and which it follows; null for AGit. */
  readonly headBranch: string | null;
  /**
   * Head in the API: the tip of the head branch, even of a closed pull request. `refs/pull/N/head` follows only while the
   * pull request is open (services/convert/pull.go and services/pull/pull.go of both forges).
   */
  headSha: string;
  refSha: string;
  readonly heads: string[];
  baseRef: string;
  /** Tip of the target branch; the last known tip after its deletion. */
  baseSha: string;
  hasBase: boolean;
  mergeBase: string;
  readonly flow: 0 | 1;
  locked: boolean;
  autoMerge: boolean;
  labels: SimLabel[];
  assignees: SimUser[];
  reviews: SimReview[];
  comments: SimComment[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
};

export type Effect = {
  readonly atMs: number;
  readonly actor: string;
  readonly kind: string;
  readonly repo: string;
  readonly number: number | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type RequestEntry = {
  readonly atMs: number;
  readonly method: string;
  /** Path with query, without the prefix of a sub-path installation. */
  readonly path: string;
  readonly user: string | null;
  readonly body: string;
  /** 0 until answered; stays 0 when a fault closed the connection. */
  status: number;
};

export type Delivery = {
  readonly uuid: string;
  readonly hookId: number;
  readonly url: string;
  readonly event: string;
  readonly eventType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Null until answered, when dropped, or when the receiver was not reached. */
  status: number | null;
  outcome: 'sending' | 'answered' | 'failed' | 'dropped';
};

export type QuickAction = { readonly actor: string; readonly where: string; readonly line: string };

export type Counter =
  | 'user'
  | 'repo'
  | 'pull'
  | 'comment'
  | 'review'
  | 'hook'
  | 'status'
  | 'label'
  | 'delivery'
  | 'token'
  | 'run';

export type World = {
  readonly traits: Traits;
  readonly clock: () => number;
  /** Without a final slash. */
  publicUrl: string;
  readonly dataDir: string;
  readonly counters: Map<Counter, number>;
  readonly users: SimUser[];
  readonly tokens: Map<string, SimToken>;
  readonly repos: SimRepo[];
  readonly effects: Effect[];
  readonly mails: Mail[];
  readonly requests: RequestEntry[];
  readonly deliveries: Delivery[];
  readonly quickActions: QuickAction[];
  readonly violations: string[];
  /** Seeded, so that two runs of a test get the same "random" orders. */
  readonly random: () => number;
  readonly watchers: Set<() => void>;
  /** Lists hide the caller's own comments and reviews for this long after they were written. */
  readLagMs: number;
  /** For this long after its first push, a branch is not in the forge's table of branches, and cannot have a pull request. */
  branchLagMs: number;
  /** `[repository.pull-request] WORK_IN_PROGRESS_PREFIXES`. */
  wipPrefixes: readonly string[];
  readonly maxPageSize: number;
  deliveryFilter: (delivery: Delivery) => 'send' | 'drop';
  /** Maximum random delay of a webhook; 0 keeps their order in practice. */
  hookJitterMs: number;
  /** False: `[webhook] ALLOWED_HOST_LIST` is `external`, as on a new installation. */
  localHooksAllowed: boolean;
  readonly openDeliveries: Set<Promise<void>>;
};

export const nextId = (world: World, counter: Counter): number => {
  const id = (world.counters.get(counter) ?? 0) + 1;
  world.counters.set(counter, id);
  return id;
};

export const fullName = (repo: SimRepo): string => `${repo.owner.login}/${repo.name}`;

const notify = (world: World): void => {
  for (const watcher of world.watchers) watcher();
};

export const touched = notify;

export const record = (world: World, effect: Omit<Effect, 'atMs'>): void => {
  world.effects.push({ atMs: world.clock(), ...effect });
  notify(world);
};

/** A small seeded generator (mulberry32), only for orders; not secret. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

export const shuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map((item) => ({ item, key: random() }))
    .toSorted((left, right) => left.key - right.key)
    .map(({ item }) => item);
