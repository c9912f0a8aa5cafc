/** What the demo needs of a simulated forge: hands for its people, and eyes for what stands there. */
import type { FileMap } from '../forgejo/git.ts';
import type { QuickAction, RequestEntry } from '../forgejo/world.ts';

/** Full path of the one project, the same everywhere. */
export const REPO = 'shop-team/shop';
export const OWNER = 'shop-team';
export const AUTHOR = 'author';
export const BOT = 'fixpoint';

export type DemoSight = {
  readonly head: string;
  /** Bodies of what is said about the whole. */
  readonly comments: readonly string[];
  /** What was said at lines, oldest first: of each thread its first words and the replies, at the place of the first. */
  readonly inline: readonly {
    readonly author: string;
    readonly path: string;
    readonly line: number;
    readonly side: 'new' | 'old';
    readonly body: string;
    readonly resolved: boolean;
  }[];
  /** Newest state per context at the head, in the forge's own words. */
  readonly headStatuses: Readonly<Record<string, string>>;
  /** What the newest of them says. */
  readonly statusText: string;
};

export type DemoCommit = {
  readonly branch: string;
  readonly files: FileMap;
  readonly message: string;
  readonly author: string;
};

export type DemoForge = {
  readonly kind: 'forgejo' | 'gitea' | 'gitlab';
  readonly url: string;
  readonly bot: { readonly id: number; readonly token: string };
  commit(wish: DemoCommit): Promise<void>;
  /** Opens a change request by the author; gives its number and page. */
  open(wish: { readonly branch: string; readonly title: string; readonly description: string }): Promise<{
    readonly number: number;
    readonly url: string;
  }>;
  addWebhook(url: string, secret: string): void;
  look(number: number): DemoSight;
  until(condition: () => boolean, timeoutMs: number): Promise<void>;
  settled(): Promise<void>;
  readonly requests: readonly RequestEntry[];
  readonly violations: readonly string[];
  readonly quickActions: readonly QuickAction[];
  close(): Promise<void>;
};
