import { z } from 'zod';

/**
 * What a model call is for. A finder is an explorer that looks for findings of its own. A judge compares findings in an
 * evaluation, whose cost is not recorded.
 */
export const SpendingRole = z.enum(['reviewer', 'explorer', 'finder', 'verifier', 'author', 'judge']);
export type SpendingRole = z.output<typeof SpendingRole>;
