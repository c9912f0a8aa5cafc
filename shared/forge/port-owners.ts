/** What finding the person to call needs of a forge: a file of a branch, and who is behind a name. */
import type { Account } from './port-facts.ts';

export type FileAt = { readonly projectId: number; readonly branch: string; readonly path: string };

/** `not_text`: a folder, a link, a submodule, or bytes that are no UTF-8. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_text' };

export interface ReadsFiles {
  /** As it is at the tip of the branch now; null where there is no such file or branch. */
  fetchFile(at: FileAt, maxBytes: number, signal: AbortSignal): Promise<FileText | null>;
}

export type NameOwner = { readonly kind: 'person'; readonly account: Account } | { readonly kind: 'group' };

export interface FindsNames {
  /** Who hears a mention of this name, in any case; null for nobody, and for who may not sign in any more. */
  findName(name: string, signal: AbortSignal): Promise<NameOwner | null>;
}
