/** What `decide` knows of the world: read again from the forge for everything that waits in the inbox. */
import type { Account, ChangeRequestFacts, ForgeComment } from '../../forge/port-facts.ts';
import type { CiReading, CiRules } from './ci.ts';
import type { ForgeVerdictPolicy } from '../../vocabulary/forge-verdict.ts';
import type { History } from './history.ts';
import type { Heard } from './state.ts';
import type { Spoken } from './user-command.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

/** A comment that addresses the bot, with the answer to whether its author may ask for that. */
export type Request = {
  /** Counted within `kind`: the body of a review has the review's id. */
  readonly noteId: number;
  readonly kind: ForgeComment['kind'];
  readonly authorId: number;
  readonly command: 'review';
  readonly allowed: boolean;
  /** In which thread it stands; null or absent for none. */
  readonly threadId?: string | null;
  /** The whole change anew. Absent: no. */
  readonly full?: boolean;
  /** What is written beside it. */
  readonly instructions?: string;
};

/** A comment that asks the bot for something else than a review or a fix. */
export type Order = Omit<Request, 'command' | 'full' | 'instructions'> & { readonly spoken: OrderWords };

export type OrderWords = Exclude<Spoken, { readonly kind: 'review' | 'text' | 'fix' }>;

/** Somebody entitled to an answer has said something new in an open thread of the bot. */
export type PendingAnswer = {
  readonly findingId: FindingId;
  /** The newest such comment in the thread. */
  readonly noteId: number;
};

/** A comment that asks the bot for a fix. */
export type FixRequest = Omit<Request, 'command'> & { readonly actor: Account };

/** What only a decision about a fix needs to know. */
export type FixFacts = {
  /** The project is among those that the operator's settings name. */
  readonly inScope: boolean;
  /** The source branch is the project's default one, protected by the forge, or cannot be asked about. */
  readonly branchProtected: boolean;
  /** A commander has approved the change: its findings are in human hands. */
  readonly approved: boolean;
  readonly requests: readonly FixRequest[];
};

/** For whom the author works. Empty lists let everything pass; each filled one must fit. */
export type AuthorPolicy = {
  readonly enabled: boolean;
  /** Patterns as in the settings; compared where the facts are read. */
  readonly projects: readonly string[];
  readonly labels: readonly string[];
  readonly authors: readonly string[];
  /** How long a fix may take from the added job to its report, waiting in the queue included. */
  readonly timeoutMs: number;
};

export type Facts = {
  /** Null when the forge says that the change request does not exist (any more). */
  readonly changeRequest: ChangeRequestFacts | null;
  readonly history: History;
  readonly botIds: ReadonlySet<number>;
  /** What people write after "@" to call the bot. */
  readonly mention: string;
  /** Of those who act in the events: bots of others that may not command. */
  readonly otherBotIds: ReadonlySet<number>;
  /** Of those who asked for a review by the forge's own button: who may also command it. Absent: none. */
  readonly mayRequest?: ReadonlySet<number>;
  /** Calls that the events tell of. */
  readonly requests: readonly Request[];
  /** Other commands that the events tell of. */
  readonly orders: readonly Order[];
  /** The calls before those. */
  readonly heard: Heard;
  /** What waits for a word of the bot, as the forge shows it; in the order of the findings. */
  readonly answers: readonly PendingAnswer[];
  /** Null: nothing that waits can lead to a fix, so the forge was not asked. */
  readonly fix: FixFacts | null;
  /** Of the head of a round that would pass. Null: no such round is ready, so the forge was not asked. */
  readonly ci: CiReading | null;
  /** A program outside hears the verdicts as the author. Absent: no. */
  readonly hasAuthorOutside?: boolean;
  /** The status of the present head is not what the verdict says. Absent: it was not looked at. */
  readonly wrongStatus?: boolean;
};

export type Trigger = 'opened' | 'pushed' | 'reopened' | 'ready' | 'review_requested' | 'mention';

/** The operator's settings that decisions rest on. Durations in milliseconds; empty filter lists let everything pass. */
export type Policy = {
  readonly triggers: readonly Trigger[];
  readonly reviewDrafts: boolean;
  readonly quietMs: number;
  /** Whether the forge itself learns of the verdict, as an approval or a request for changes. */
  readonly forgeVerdict: ForgeVerdictPolicy;
  readonly filters: {
    readonly labels: readonly string[];
    readonly ignoreLabels: readonly string[];
    readonly authors: readonly string[];
    readonly ignoreAuthors: readonly string[];
    readonly targetBranches: readonly string[];
  };
  readonly rounds: {
    readonly max: number;
    readonly maxRuns: number;
    readonly attempts: number;
    readonly threadCount: number;
    readonly duplicateThreshold: number;
  };
  /** Whether the same change on a newer target branch is reviewed again. */
  readonly reviewOnBaseChange: boolean;
  /** What the CI of a head has to do with a pass. */
  readonly gate: CiRules & {
    readonly waitForCi: boolean;
    /** From the ready round on. */
    readonly ciDeadlineMs: number;
    /** From when the head was first seen: how long CI may take to begin. */
    readonly ciGraceMs: number;
  };
  /** How long a run may take from the added job to its report, waiting in the queue included. */
  readonly runTimeoutMs: number;
  readonly author: AuthorPolicy;
  /** How long a job waits for something that is away: by so much the deadline of its phase moves, once. Absent: 0. */
  readonly outagePatienceMs?: number;
  /** How long the poster may take for one plan, waiting in the queue included. */
  readonly postTimeoutMs: number;
};
