/**
 * Cleans the user's environment for a child process, such as an agent, `bd`, git in the user's repository, or a Redis
 * server. For its hooks and aliases, git sets variables that point to one repository. A child that inherits them would
 * work on that repository in any working folder. Pure.
 */

/** The output of `git rev-parse --local-env-vars`, the same in every release of git so far. */
const LOCAL_VARIABLES =
  'GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS ' +
  'GIT_DIR GIT_GRAFT_FILE GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX ' +
  'GIT_NO_REPLACE_OBJECTS GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_REPLACE_REF_BASE ' +
  'GIT_SHALLOW_FILE GIT_WORK_TREE';

/** Variables that git does not list but also sets for its children. They change what the next git call does. */
const OF_ONE_CALL =
  'GIT_ATTR_SOURCE GIT_GLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_INDEX_VERSION GIT_LITERAL_PATHSPECS ' +
  'GIT_NAMESPACE GIT_NOGLOB_PATHSPECS GIT_QUARANTINE_PATH GIT_REFLOG_ACTION';

const DROPPED = new Set(`${LOCAL_VARIABLES} ${OF_ONE_CALL}`.split(' '));

/** True for settings that `GIT_CONFIG_COUNT` counts. Variables such as `GIT_CONFIG_GLOBAL` are the user's own and are kept. */
const isSettingOfOneCall = (name: string): boolean => /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/.test(name);

/** Drops variables that git set for one call, and variables without a value. */
export const childEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || DROPPED.has(name) || isSettingOfOneCall(name) ? [] : [[name, value]],
    ),
  );

/** For a child without a terminal: these variables make git fail instead of waiting for input. */
export const WITHOUT_PROMPTS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_PAGER: 'cat',
  GIT_MERGE_AUTOEDIT: 'no',
} as const satisfies Readonly<Record<string, string>>;
