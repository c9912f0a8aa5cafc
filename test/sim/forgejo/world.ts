/** The whole state of one simulated forge. Everything but the git objects lives here, in memory. */
import type { Mail } from '../shared/mail-log.ts';
import type { Traits } from './traits.ts';

export type SimUser = {
  readonly id: number;
  login: string;
  readonly isAdmin: boolean;
  /** Removed accounts keep their id; their words are shown as by the ghost user. */
  deleted: boolean;
  /** Set for organisations, which share the names of people. */
  readonly organization?: SimOrganization;
};

export type SimOrganization = {
  /** Ids of the members of the team "Owners": they may do everything in its projects. */
  readonly owners: Set<number>;
  readonly hooks: SimHook[];
};

export type SimToken = {
  readonly value: string;
  readonly user: SimUser;
  /** `write:repository` and so on; `all` opens everything. */
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
  /** Gitea 1.27 keeps equal contexts of two workflows apart by it, and shows it nowhere. */
  readonly workflow: string;
};

/** A run of Actions, as far as its list tells. */
export type SimActionRun = {
  readonly id: number;
  readonly sha: string;
  readonly workflow: string;
  readonly event: string;
  /** In the words of Forgejo, such as `running` or `success`. */
  status: string;
};

export type SimLabel = { readonly id: number; readonly name: string; readonly color: string };

export type SimRepo = {
  readonly id: number;
  readonly owner: SimUser;
  name: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  /** When each branch was pushed first. */
  readonly branchesSince: Map<string, number>;
  /** Names of branches with a rule of their own. */
  readonly protectedBranches: Set<string>;
  readonly gitDir: string;
  /** Read-only, for everybody. */
  archived: boolean;
  /** The unit of the repository: without it there are none to be made, read or listed. */
  hasPullRequests: boolean;
  readonly parent: SimRepo | null;
  readonly createdAt: number;
  readonly collaborators: Map<number, AccessLevel>;
  readonly pulls: SimPull[];
  readonly hooks: SimHook[];
  readonly statuses: SimStatus[];
  readonly actionRuns: SimActionRun[];
  /** What the rule of a branch requires, where it requires any. */
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
  /** The comment that stands for the review in the timeline; 0 while it only holds the comments of a broken submission. */
  timelineId: number;
};

export type SimCodePlace = {
  readonly reviewId: number;
  readonly path: string;
  /** Signed as the forge stores it: negative counts in the old file. */
  readonly line: number;
  /** The line as the client sent it, same sign rule. The real forge forgets it; kept for tests. */
  readonly sentLine: number;
  readonly commitId: string;
  /** Cut around the line; empty when the line is not in the diff. */
  readonly diffHunk: string;
  readonly extraLines: number;
};

export type SimReaction = { readonly user: SimUser; readonly content: string; readonly createdAt: number };

export type SimComment = {
  readonly id: number;
  /** `comment`, `code`, `review`, or the forge's name of an event such as `pull_push`. */
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
  /** As the API names it: the branch, or `refs/pull/N/head` while that branch does not exist. */
  headRef: string;
  /** The branch that it was opened from, and follows while that exists; null for AGit. */
  readonly headBranch: string | null;
  /**
   * As the API names it: the tip of the head branch, of a closed pull request too. `refs/pull/N/head` follows only
   * while the pull request is open (services/convert/pull.go and services/pull/pull.go of both forges).
   */
  headSha: string;
  /** What `refs/pull/N/head` names. */
  refSha: string;
  /** Every head since the start, the current one last. */
  readonly heads: string[];
  baseRef: string;
  /** The tip of the target branch, the last one where that is gone. */
  baseSha: string;
  hasBase: boolean;
  mergeBase: string;
  /** 1 for AGit. */
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
  /** 0 until answered, and for ever when a fault cut the connection. */
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
  /** Seeded: two runs of one test see the same "random" orders. */
  readonly random: () => number;
  /** Called after every change of the logs. */
  readonly watchers: Set<() => void>;
  /** Lists hide the caller's own comments and reviews for this long after they were written. */
  readLagMs: number;
  /**
   * A queue fills the table of branches: for this long after its first push a new one is not listed and takes no pull
   * request.
   */
  branchLagMs: number;
  /** `[repository.pull-request] WORK_IN_PROGRESS_PREFIXES`. */
  wipPrefixes: readonly string[];
  readonly maxPageSize: number;
  deliveryFilter: (delivery: Delivery) => 'send' | 'drop';
  /** Largest random wait before a webhook is sent; 0 keeps their order in practice. */
  hookJitterMs: number;
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

/** A small seeded generator (mulberry32): order only, nothing secret depends on it. */
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
