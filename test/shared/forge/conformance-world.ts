/** What a forge, simulated or real, must offer so that the conformance suite can run against its adapter. */
import type { Position } from '../../../shared/diff/position/position.ts';
import type { Account } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import type { ForgeVerdict } from '../../../shared/vocabulary/forge-verdict.ts';
import type { ChangeRequest, CommitSha } from '../../../shared/vocabulary/ids.ts';

/** Calls that a fault can hit. */
export type Operation = 'read_change_request' | 'read_comments' | 'create_comment' | 'submit_review' | 'write_status';

export type Failure =
  /** 429 with `Retry-After: 2`, nothing done. */
  | 'rate_limited'
  /** 500, nothing done. */
  | 'server_error'
  /** The connection is cut, nothing done. */
  | 'reset_before'
  /** Done, and the connection is cut instead of an answer. */
  | 'reset_after'
  /** Done, and never answered. */
  | 'timeout_after'
  /** Done, and the answer breaks off. */
  | 'truncated'
  /** A proxy answers 200 with a page, nothing done. */
  | 'maintenance'
  /** 200 without a body, nothing done. */
  | 'empty';

export type NewIssue = {
  readonly title: string;
  readonly text: string;
  /** Only members may see it, where the forge has such issues. */
  readonly secret?: boolean;
  /** One of `addProjects`. Default: the project of the change request. */
  readonly project?: string;
};

export type RunJob = {
  readonly name: string;
  readonly state: 'running' | 'success' | 'failed';
  readonly artifacts?: Readonly<Record<string, string>>;
};

/** Doings of people who use the forge by hand. */
export type People = {
  comment(as: Account, body: string): Promise<void>;
  inlineComment(as: Account, newLine: number, body: string): Promise<void>;
  /** Under the inline comment with this text. */
  answer(as: Account, to: string, body: string): Promise<void>;
  /** Resolves, by the web page, the thread of the inline comment with this text. */
  resolve(as: Account, root: string): Promise<void>;
  /** To the comment with this text. `eyes` stands for any other reaction. */
  react(as: Account, to: string, reaction: 'up' | 'down' | 'eyes'): Promise<void>;
  /** Starts a review by hand and leaves it unpublished. */
  startDraft(as: Account, newLine: number, body: string): Promise<void>;
  retitle(title: string): Promise<void>;
  describe(description: string): Promise<void>;
  /** Returns its number. */
  openIssue(wish: NewIssue): Promise<number>;
  /** CI runs a job on the commit. `artifacts`: what it uploads, by path in its archive. Only where `can.ciReports`. */
  runJob(sha: CommitSha, job: RunJob): Promise<void>;
  /** Names the bot as a reviewer. */
  askBot(): Promise<void>;
  /** Makes an account an assignee. */
  assign(to: Account): Promise<void>;
  approve(as: Account): Promise<void>;
  /** Sees to it that the branch is protected. */
  protect(branch: string): Promise<void>;
  close(): Promise<void>;
  push(): Promise<CommitSha>;
  /** Onto the target branch. */
  commit(files: Readonly<Record<string, string>>): Promise<void>;
  deleteAccount(of: Account): Promise<void>;
  renameProject(name: string): Promise<void>;
  /** In the group of the project; the bot may read them. */
  addProjects(names: readonly string[]): Promise<void>;
  /** One of `addProjects`. */
  archiveProject(name: string): Promise<void>;
  /** Whether the bot may see the webhooks of the project and, where the same right decides, dismiss reviews. */
  mayManageHooks(may: boolean): Promise<void>;
  addHook(url: string, state: 'working' | 'off'): Promise<void>;
  /** Opens `count` more change requests, each later than the one before; returns their numbers in that order. */
  openMore(count: number): Promise<readonly number[]>;
};

export type ConformanceWorld = {
  /** Connected with the bot's token. Its lists come in pages of 5 where the forge can be told so. */
  readonly forge: Forge;
  /** Connected with a token that the forge does not know. */
  readonly stranger: Forge;
  /** What the installation can do, by its documentation. */
  readonly can: {
    readonly reply: boolean;
    readonly resolve: boolean;
    /** A review is a thing of its own, with a text. */
    readonly reviewBody: boolean;
    /** Publishes although the account has an unpublished draft, and leaves that alone. */
    readonly besideDraft: boolean;
    /** A review with comments can also be a request for changes. */
    readonly carryVerdict: boolean;
    /** Asking a reviewer anew takes the weight off what they have decided. */
    readonly voidByAsking: boolean;
    /** An issue can be hidden from those who may read the project. */
    readonly hideIssues: boolean;
    /** The API serves files that CI jobs have uploaded. */
    readonly ciReports: boolean;
  };
  readonly changeRequest: ChangeRequest;
  readonly projectPath: string;
  /** What the project lies in. */
  readonly groupPath: string;
  readonly title: string;
  readonly description: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly head: CommitSha;
  readonly base: CommitSha;
  readonly bot: Account;
  /** Opened the change request; may write. */
  readonly author: Account;
  readonly owner: Account;
  /** May read a private project and nothing more. */
  readonly reader: Account;
  /** Has no access. */
  readonly outsider: Account;
  readonly positions: {
    readonly added: Position;
    readonly removed: Position;
    readonly range: Position;
    /** Named by no line of the diff. */
    readonly nowhere: Position;
  };
  readonly people: People;
  /** What counts on the forge now, of everybody: neither dismissed nor replaced, nor asked for again. */
  decided(): readonly { readonly by: string; readonly verdict: ForgeVerdict }[];
  fail(operation: Operation, failure: Failure, times?: number): void;
  /** Moves the forge's time. */
  passTime(ms: number): void;
  /** How many the forge has been sent. */
  requests(): number;
  /** Delays that the adapter waited, in milliseconds; they pass at once. */
  slept(): readonly number[];
  /** Own comments stay hidden from lists until `showOwn` is called. */
  hideOwn(): void;
  showOwn(): void;
  /** Requests that a real forge would not have understood. */
  violations(): readonly string[];
  close(): Promise<void>;
};
