import { z } from 'zod';

/** What makes Fixpoint review a change request. */
export const Trigger = z.enum(['opened', 'pushed', 'reopened', 'ready', 'review_requested', 'mention']);
export type Trigger = z.output<typeof Trigger>;
