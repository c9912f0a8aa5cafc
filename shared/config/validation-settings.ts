/** `[validation]`: the operator's commands that a head must pass. None of them comes from a repository. */
import { z } from 'zod';
import { AbsolutePath, ProjectPattern } from './values.ts';

const ValidationCommand = z.strictObject({
  name: z.string().regex(/^[^\p{Cc}`<>]{1,100}$/u, 'expected one line of 1 to 100 characters without ` < >'),
  /** The absolute path of a program in the cage, and its arguments. No shell is used unless the program is a shell. */
  command: z.tuple([AbsolutePath], z.string().max(4096)),
  /** If empty, the command applies to every project of the configured forges. */
  projects: z.array(ProjectPattern).max(1000).default([]),
  timeoutS: z.int().min(1).max(3600).default(300),
  /** If true, the command works in a temporary in-memory copy of the tree (`sandbox.scratch_mb`). If false, the tree is read-only. */
  writable: z.boolean().default(false),
});
export type ValidationCommand = z.output<typeof ValidationCommand>;

export const ValidationSettings = z.strictObject({
  command: z
    .array(ValidationCommand)
    .max(20)
    .refine((commands) => new Set(commands.map(({ name }) => name)).size === commands.length, {
      message: 'two commands have the same name; names must be unique',
    })
    .default([]),
});
export type ValidationSettings = z.output<typeof ValidationSettings>;

/** The maximum time of all commands in seconds, because they run one after the other. */
export const longestValidationS = ({ command }: ValidationSettings): number =>
  command.reduce((sum, { timeoutS }) => sum + timeoutS, 0);
