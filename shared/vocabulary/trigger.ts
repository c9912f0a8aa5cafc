import { z } from 'zod';

export const Trigger = z.enum(['opened', 'pushed', 'reopened', 'ready', 'review_requested', 'mention']);
export type Trigger = z.output<typeof Trigger>;
