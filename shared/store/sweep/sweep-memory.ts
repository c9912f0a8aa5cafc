import { z } from 'zod';
import { BranchName } from '../../rounds/model/input.ts';
import { CommitSha } from '../../vocabulary/ids.ts';

/** What the sweep saw when it last woke guard for a change request. */
export const SweepLook = z.object({
  head: CommitSha,
  target: BranchName,
  mergeBase: CommitSha.nullable(),
  updatedAtMs: z.number().int(),
  atMs: z.number().int(),
  /** Time of the first look with the same result. */
  sinceMs: z.number().int(),
});
export type SweepLook = z.output<typeof SweepLook>;

export const Compared = z.object({ tip: CommitSha, sinceMs: z.number().int(), atMs: z.number().int() });

export const SeenChangeRequest = z.object({
  number: z.number().int().positive(),
  head: CommitSha,
  target: BranchName,
  /** Merge base from the forge; null while it is unknown. */
  mergeBase: CommitSha.nullable(),
  /**
   * For forges whose lists do not contain the merge base: the target tip for which it was read, and the time of that
   * read.
   */
  compared: Compared.nullable(),
  updatedAtMs: z.number().int(),
  /** When the change request was last seen in a list, epoch ms. */
  seenAtMs: z.number().int(),
  look: SweepLook.nullable(),
});
export type SeenChangeRequest = z.output<typeof SeenChangeRequest>;

/** What the sweep knows about one project. With this memory, one request per sweep is enough while nothing changes. */
export const ProjectMemory = z.object({
  v: z.literal(1),
  /** Tag of the first page of open change requests, used to recognise an unchanged page. */
  tag: z.string().nullable(),
  /** Page at which reading a long list continues. Null when the list was read to the end. */
  nextPage: z.number().int().positive().nullable(),
  open: z.array(SeenChangeRequest),
});
export type ProjectMemory = z.output<typeof ProjectMemory>;

export const EMPTY_MEMORY: ProjectMemory = { v: 1, tag: null, nextPage: null, open: [] };
