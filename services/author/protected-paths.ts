/** What a fix never touches. Operators may add to it and never take away; compared without regard to case. */
import { compileGlob } from '../../shared/diff/glob-match.ts';
import { classifyName } from '../../shared/diff/well-known-files.ts';
import { whyPathIsRefused } from '../../shared/workspace/paths.ts';

export type PathRules = {
  /** The operator's own patterns. */
  readonly protectedPaths: readonly string[];
  /** True: lock files of package managers may be changed. */
  readonly lockFiles: boolean;
};

/** Names, at any depth, of files and folders that steer git, the forge, its CI, or the tools that read a repository. */
const PROTECTED_NAMES: readonly RegExp[] = [
  /^\.git/,
  /^\.(?:forgejo|gitea|woodpecker|drone|circleci|buildkite|azure-pipelines|husky|ci|tekton|semaphore)/,
  /^\.(?:travis|appveyor|cirrus|codefresh|pre-commit-config)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|appveyor|cloudbuild|buildspec|lefthook)(?:\.[a-z0-9-]+)?\.ya?ml$/,
  /^jenkinsfile/,
  /^(?:code)?owners$/,
  /^\.?fixpoint(?:\.|$)/,
  /^(?:agents|claude|gemini)\.md$/,
  /^\.(?:claude|cursor|codex|aider|mcp)/,
];

const isProtectedName = (name: string): boolean => PROTECTED_NAMES.some((pattern) => pattern.test(name));

/** Why a fix may not touch this path, or null. */
export const whyPathIsProtected = (path: string, { protectedPaths, lockFiles }: PathRules): string | null => {
  const refused = whyPathIsRefused(path);
  if (refused !== null) return refused;
  const lower = path.normalize('NFKC').toLowerCase();
  if (lower.split('/').some(isProtectedName)) return 'it is protected';
  if (!lockFiles && classifyName(path) === 'lock') return 'it is a lock file';
  const covered = protectedPaths.some((pattern) => compileGlob(pattern.toLowerCase())?.covers(lower) !== false);
  return covered ? 'the operator protects it' : null;
};
