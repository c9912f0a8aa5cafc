import { z } from 'zod';

export const ForgeKind = z.enum(['forgejo', 'gitea', 'gitlab']);
export type ForgeKind = z.output<typeof ForgeKind>;
