/** What the demo needs from a simulated forge: actions of its people, and a view of the result. */
import type { FileMap } from '../forgejo/git.ts';
import type { QuickAction, RequestEntry } from '../forgejo/world.ts';

export const REPO = 'shop-team/shop';
export const OWNER = 'shop-team';
export const AUTHOR = 'author';
export const BOT = 'fixpoint';

export type Said = { readonly author: string; readonly body: string };

export type DemoSight = {
  readonly head: string;
  /** Comments on the change request as a whole. */
  readonly comments: readonly Said[];
  /** Inline comments, oldest first; replies have the place of their thread's first comment. */
  readonly inline: readonly (Said & {
    readonly path: string;
    readonly line: number;
    readonly side: 'new' | 'old';
    readonly resolved: boolean;
  })[];
  /** Inline comments that are written, but not yet published. */
  readonly unpublished: readonly string[];
  /** Newest state per context at the head, in the forge's terms. */
  readonly headStatuses: Readonly<Record<string, string>>;
  readonly statusText: string;
};

export type DemoCommit = {
  readonly branch: string;
  readonly files: FileMap;
  readonly message: string;
  readonly author: string;
};

export type PersonSays = { readonly number: number; readonly as: string; readonly body: string };

/** The forge has taken as many comments as it was told to, and answers no more. */
export type Halt = { readonly isReached: () => boolean; readonly remove: () => void };

export type DemoForge = {
  readonly kind: 'forgejo' | 'gitea' | 'gitlab';
  readonly url: string;
  readonly bot: { readonly id: number; readonly token: string };
  commit(wish: DemoCommit): Promise<void>;
  /** Opens a change request by the author; returns its number and page. */
  open(wish: { readonly branch: string; readonly title: string; readonly description: string }): Promise<{
    readonly number: number;
    readonly url: string;
  }>;
  comment(wish: PersonSays): Promise<void>;
  /** Answers in the thread whose first comment contains `about`. @throws when there is none */
  answer(wish: PersonSays & { readonly about: string }): Promise<void>;
  /** Lets the bot write `count` inline comments one by one; the forge takes the last one too, but never answers. */
  haltAfter(number: number, count: number): Halt;
  addWebhook(url: string, secret: string): void;
  look(number: number): DemoSight;
  until(condition: () => boolean, timeoutMs: number): Promise<void>;
  settled(): Promise<void>;
  readonly requests: readonly RequestEntry[];
  readonly violations: readonly string[];
  readonly quickActions: readonly QuickAction[];
  close(): Promise<void>;
};
