import type { CliPowers } from '../../../../shared/claude-code/invocation.ts';

const EVERYTHING_ELSE = ['~/**', '//proc/**', '//sys/**', '//dev/**'] as const;

/** Without a character that means something in a rule. */
const PLAIN_PATH = /^[A-Za-z0-9._/-]+$/;
const MAX_LOCKED = 500;

/**
 * Reading and writing are allowed below the workspace and nowhere else; nothing is run. Rules for Edit hold for every
 * tool that writes. What the service itself can get at is denied by name as well. Glob is left out as for the reviewer:
 * it lists names outside of the workspace (CLI 2.1).
 *
 * `locked`: paths in the workspace that may only be read. Not all of them can be named in a rule, so whoever reads the
 * changes back has the last word; but a model that is refused learns of it in time.
 */
export const authorPermissions = (locked: readonly string[]): CliPowers => ({
  tools: ['Read', 'Grep', 'Edit', 'Write'],
  allow: ['Read(./**)', 'Edit(./**)'],
  deny: [
    ...EVERYTHING_ELSE.flatMap((paths) => [`Read(${paths})`, `Edit(${paths})`]),
    ...locked
      .filter((path) => PLAIN_PATH.test(path))
      .slice(0, MAX_LOCKED)
      .map((path) => `Edit(./${path})`),
  ],
});
