/** What the demo needs from a simulated forge: actions of its people, and a view of the result. */
import type { FileMap } from '../forgejo/git.ts';
import type { QuickAction, RequestEntry } from '../forgejo/world.ts';

export const REPO = 'shop-team/shop';
export const OWNER = 'shop-team';
export const AUTHOR = 'author';
export const BOT = 'fixpoint';

export type DemoSight = {
  readonly head: string;
  /** Comments on the change request as a whole. */
  readonly comments: readonly string[];
  /** Inline comments, oldest first; replies have the place of their thread's first comment. */
  readonly inline: readonly {
    readonly author: string;
    readonly path: string;
    readonly line: number;
    readonly side: 'new' | 'old';
    readonly body: string;
    readonly resolved: boolean;
  }[];
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
  addWebhook(url: string, secret: string): void;
  look(number: number): DemoSight;
  until(condition: () => boolean, timeoutMs: number): Promise<void>;
  settled(): Promise<void>;
  readonly requests: readonly RequestEntry[];
  readonly violations: readonly string[];
  readonly quickActions: readonly QuickAction[];
  close(): Promise<void>;
};
