import { z } from 'zod';
import { BranchName } from '../../rounds/model/input.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** When the sweep last woke guard for a change request, and what it saw then. */
export const SweepLook = z.object({
  head: CommitSha,
  target: BranchName,
  mergeBase: CommitSha.nullable(),
  updatedAtMs: z.number().int(),
  atMs: z.number().int(),
  /** Of the first look that saw the same. */
  sinceMs: z.number().int(),
});
export type SweepLook = z.output<typeof SweepLook>;

export const Compared = z.object({ tip: CommitSha, sinceMs: z.number().int(), atMs: z.number().int() });

export const SeenChangeRequest = z.object({
  number: z.number().int().positive(),
  head: CommitSha,
  target: BranchName,
  /** Merge base as the forge gives it; null while nothing tells it. */
  mergeBase: CommitSha.nullable(),
  /** Where lists do not tell the merge base: when it was read, at which tip of the target, first seen when. */
  compared: Compared.nullable(),
  updatedAtMs: z.number().int(),
  /** When it was last seen in a list, epoch ms. */
  seenAtMs: z.number().int(),
  look: SweepLook.nullable(),
});
export type SeenChangeRequest = z.output<typeof SeenChangeRequest>;

/** What the sweep knows of one project: enough to do without a second request while nothing changes. */
export const ProjectMemory = z.object({
  v: z.literal(1),
  /** Of the first page of open change requests. */
  tag: z.string().nullable(),
  /** Where the reading of a very long list goes on; null when it was read to its end. */
  nextPage: z.number().int().positive().nullable(),
  open: z.array(SeenChangeRequest),
});
export type ProjectMemory = z.output<typeof ProjectMemory>;

export const EMPTY_MEMORY: ProjectMemory = { v: 1, tag: null, nextPage: null, open: [] };
