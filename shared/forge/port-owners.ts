/** What the search for the people to mention needs from a forge: a file of a branch, and the account behind a name. */
import type { Account } from './port-facts.ts';

export type FileAt = { readonly projectId: number; readonly branch: string; readonly path: string };

/** `not_text`: a folder, a link, a submodule, or bytes that are not UTF-8. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_text' };

export interface ReadsFiles {
  /** The file at the current tip of the branch; null when there is no such file or branch. */
  fetchFile(at: FileAt, maxBytes: number, signal: AbortSignal): Promise<FileText | null>;
}

export type NameOwner = { readonly kind: 'person'; readonly account: Account } | { readonly kind: 'group' };

export interface FindsNames {
  /** Finds whom a mention of this name notifies; ignores case. Null when it notifies nobody or the account is disabled. */
  findName(name: string, signal: AbortSignal): Promise<NameOwner | null>;
}
