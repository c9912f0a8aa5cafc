import type { FindingId } from '../../vocabulary/ids.ts';

/** Commands without arguments, each with its line in the help. Null: the help does not list itself. */
export const PLAIN_COMMANDS = [
  { words: ['pause', 'resume'], help: 'pauses and resumes reviews of new commits' },
  { words: ['status'], help: 'shows the review state of this change request' },
  { words: ['why'], help: 'says why the change request is not reviewed, or what a review waits for' },
  { words: ['help'], help: null },
] as const;
export type PlainCommand = (typeof PLAIN_COMMANDS)[number]['words'][number];

export type UserCommand =
  /** `only`: a file or folder that an earlier review left out. */
  | { readonly kind: 'review'; readonly full: boolean; readonly instructions: string; readonly only?: string }
  /** A mention that is not followed by a command. */
  | { readonly kind: 'text'; readonly instructions: string }
  /** `always`: later change requests should not raise the finding either. */
  | { readonly kind: 'dismiss'; readonly findingId: FindingId; readonly reason: string; readonly always?: true }
  | { readonly kind: 'explain'; readonly findingId: FindingId }
  | { readonly kind: 'fix' }
  | { readonly kind: PlainCommand }
  | { readonly kind: 'misread'; readonly why: CommandError };

/**
 * `arguments`: an option or a setting follows the command. `several`: the command names more than one finding, or
 * a dismissal follows it, which would count as its reason or instructions.
 */
export type CommandError = 'arguments' | 'no_finding' | 'no_reason' | 'several';
