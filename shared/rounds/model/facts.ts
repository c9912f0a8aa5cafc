/** What `decide` knows of the world: read again from the forge for everything that waits in the inbox. */
import type { Account, ChangeRequestFacts, ForgeComment } from '../../forge/port-facts.ts';
import type { CiReading } from './ci.ts';
import type { History } from './history.ts';
import type { ReviewDraft } from './draft.ts';
import type { SeenCommands } from './state.ts';
import type { UserCommand } from './user-command.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

/** A comment that addresses the bot, with the answer to whether its author may ask for that. */
export type ReviewCommand = {
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
export type CommandRequest = Omit<ReviewCommand, 'command' | 'full' | 'instructions'> & {
  readonly spoken: CommandWords;
};

export type CommandWords = Exclude<UserCommand, { readonly kind: 'review' | 'text' | 'fix' }>;

/** Somebody entitled to an answer has said something new in an open thread of the bot. */
export type PendingAnswer = {
  readonly findingId: FindingId;
  /** The newest such comment in the thread. */
  readonly noteId: number;
};

/** A comment that asks the bot for a fix. */
export type FixRequest = Omit<ReviewCommand, 'command'> & { readonly actor: Account };

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
  readonly requests: readonly ReviewCommand[];
  /** Other commands that the events tell of. */
  readonly orders: readonly CommandRequest[];
  /** The calls before those. */
  readonly seenCommands: SeenCommands;
  /** What waits for a word of the bot, as the forge shows it; in the order of the findings. */
  readonly answers: readonly PendingAnswer[];
  /** Null: nothing that waits can lead to a fix, so the forge was not asked. */
  readonly fix: FixFacts | null;
  /** What the run in progress has handed in. Null or absent: nothing yet, or it is gone. */
  readonly draft?: ReviewDraft | null;
  /** Of the head of a run that is ready. Null: no run is ready, so the forge was not asked. */
  readonly ci: CiReading | null;
  /** A program outside hears the verdicts as the author. Absent: no. */
  readonly hasAuthorOutside?: boolean;
  /** The status of the present head is not what the verdict says. Absent: it was not looked at. */
  readonly wrongStatus?: boolean;
};
