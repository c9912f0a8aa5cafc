import type { CliPowers } from '../../../../shared/claude-code/invocation.ts';

const EVERYTHING_ELSE = ['~/**', '//proc/**', '//sys/**', '//dev/**'] as const;

/** Matches paths without characters that are special in the CLI's rule syntax. */
const PLAIN_PATH = /^[A-Za-z0-9._/-]+$/;
const MAX_LOCKED = 500;

/**
 * Reading and writing are allowed only below the workspace; no command can be run. Rules for Edit apply to every tool
 * that writes. Paths that the service itself can access are also denied by name. Glob is left out because it lists
 * names outside the workspace (CLI 2.1). `locked`: read-only paths in the workspace. A rule cannot name every path, so
 * the changes are checked again when they are read back. The rule only lets the model notice a refusal earlier.
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
