import type { FindingId } from '../../vocabulary/ids.ts';

export type UserCommand =
  /** `only`: a file or folder that an earlier review left out. */
  | { readonly kind: 'review'; readonly full: boolean; readonly instructions: string; readonly only?: string }
  /** A mention that is not followed by a command. */
  | { readonly kind: 'text'; readonly instructions: string }
  /** `always`: later change requests should not raise the finding either. */
  | { readonly kind: 'dismiss'; readonly findingId: FindingId; readonly reason: string; readonly always?: true }
  | { readonly kind: 'explain'; readonly findingId: FindingId }
  | { readonly kind: 'fix' }
  | { readonly kind: 'pause' | 'resume' | 'status' | 'why' | 'help' }
  | { readonly kind: 'misread'; readonly why: CommandError };

/** `arguments`: an option or a setting follows the command. */
export type CommandError = 'arguments' | 'no_finding' | 'no_reason';
