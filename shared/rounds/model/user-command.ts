/** What a comment that addresses the bot asks for. */
import type { FindingId } from '../../vocabulary/ids.ts';

export type UserCommand =
  /** `instructions` is empty for none. */
  | { readonly kind: 'review'; readonly full: boolean; readonly instructions: string }
  /** A mention with other words, or with none. */
  | { readonly kind: 'text'; readonly instructions: string }
  | { readonly kind: 'dismiss'; readonly findingId: FindingId; readonly reason: string }
  | { readonly kind: 'explain'; readonly findingId: FindingId }
  | { readonly kind: 'fix' }
  | { readonly kind: 'pause' | 'resume' | 'status' | 'help' }
  | { readonly kind: 'misread'; readonly why: CommandError };

/** `arguments`: something that looks like an option or a setting. */
export type CommandError = 'arguments' | 'no_finding' | 'no_reason';
