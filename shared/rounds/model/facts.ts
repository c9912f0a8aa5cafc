/** The external input of `decide`, which guard reads from the forge again whenever events are in the inbox. */
import type { Account, ChangeRequestFacts, ForgeComment } from '../../forge/port-facts.ts';
import type { CiReading } from './ci.ts';
import type { History } from './history.ts';
import type { ReviewDraft } from './draft.ts';
import type { SeenCommands } from './state.ts';
import type { UserCommand } from './user-command.ts';
import type { FindingId } from '../../vocabulary/ids.ts';

/** A comment that asks the bot for a review. `allowed`: its author has permission to ask. */
export type ReviewCommand = {
  /** The id of the comment, which is unique within `kind`. For the body of a review it is the id of the review. */
  readonly noteId: number;
  readonly kind: ForgeComment['kind'];
  readonly authorId: number;
  readonly command: 'review';
  readonly allowed: boolean;
  readonly threadId?: string | null;
  readonly full?: boolean;
  readonly instructions?: string;
  /** A file or folder that an earlier review left out; only that is reviewed. */
  readonly only?: string;
};

export type CommandRequest = Omit<ReviewCommand, 'command' | 'full' | 'instructions' | 'only'> & {
  readonly spoken: CommandWords;
};

export type CommandWords = Exclude<UserCommand, { readonly kind: 'review' | 'text' | 'fix' }>;

/** A new comment in an open thread of the bot, written by a person who may get an answer. */
export type PendingAnswer = {
  readonly findingId: FindingId;
  readonly noteId: number;
};

export type FixRequest = Omit<ReviewCommand, 'command'> & { readonly actor: Account };

export type FixFacts = {
  /** True if the operator's settings enable the author for the project. */
  readonly inScope: boolean;
  /** True if the source branch is the default branch, is protected by the forge, or its protection cannot be read. */
  readonly branchProtected: boolean;
  /** True if a commander has approved the change; then its findings are left to humans. */
  readonly approved: boolean;
  readonly requests: readonly FixRequest[];
};

export type Facts = {
  /** Null if the forge says that the change request does not exist. */
  readonly changeRequest: ChangeRequestFacts | null;
  readonly history: History;
  readonly botIds: ReadonlySet<number>;
  /** The name that people write after "@" to mention the bot. */
  readonly mention: string;
  /** Accounts that caused one of the events, belong to other bots, and may not command this bot. */
  readonly otherBotIds: ReadonlySet<number>;
  /** Accounts that requested a review with the forge's button and may command the bot. Absent if there are none. */
  readonly mayRequest?: ReadonlySet<number>;
  /** `requests`: review commands from the events. `orders`: other commands from the events. */
  readonly requests: readonly ReviewCommand[];
  readonly orders: readonly CommandRequest[];
  readonly seenCommands: SeenCommands;
  /** Replies in threads that the bot has not answered, ordered by finding. */
  readonly answers: readonly PendingAnswer[];
  /** Null if no event can lead to a fix; the facts were then not read from the forge. */
  readonly fix: FixFacts | null;
  /** The draft of the run in progress. Null or absent if there is none yet or it was lost. */
  readonly draft?: ReviewDraft | null;
  /** The CI result of the head of a run that is ready. Null if no run is ready; then CI was not read. */
  readonly ci: CiReading | null;
  /** True if a review must not begin yet, because a CI job that makes a report for it has not ended. Absent if none has to. */
  readonly awaitsReports?: true;
  /** True if an external program receives the verdicts as the author. */
  readonly hasAuthorOutside?: boolean;
  /** True if the status of the current head differs from the verdict. Absent if this was not checked. */
  readonly wrongStatus?: boolean;
};
