/** Fields that every kind of evaluation case has. Lines count from 1. */
import { z } from 'zod';

/** Also names files, so it has no separator and cannot be hidden. */
export const CaseId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,119}$/, {
  message: 'expected at most 120 characters a-z, 0-9, ".", "_" or "-"',
});

export const Line = z.number().int().positive();
export const CasePath = z.string().min(1).max(4096);

export const commonFields = {
  id: CaseId,
  set: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  /** The licence of the labels, as the set states it; `none stated` if it states none. */
  licence: z.string().min(1).max(100),
  language: z.string().min(1).max(60),
  title: z.string().max(1000).default(''),
  description: z.string().max(20_000).default(''),
};
