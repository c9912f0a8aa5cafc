/** Names, at any depth, of files and folders that steer git, the forge, its CI, or the tools that read a repository. */
const STEERING_NAMES: readonly RegExp[] = [
  /^\.git/,
  /^\.(?:forgejo|gitea|woodpecker|drone|circleci|buildkite|azure-pipelines|husky|ci|tekton|semaphore)/,
  /^\.(?:travis|appveyor|cirrus|codefresh|pre-commit-config)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|appveyor|cloudbuild|buildspec|lefthook)(?:\.[a-z0-9-]+)?\.ya?ml$/,
  /\.gitlab-ci\.ya?ml$/,
  /^jenkinsfile/,
  /^(?:code)?owners$/,
  /^\.?fixpoint(?:\.|$)/,
  /^(?:agents|claude|gemini)\.md$/,
  /^\.(?:claude|cursor|codex|aider|mcp)/,
];

/** Compared without regard to case, and as a file system may fold the name. Whoever changes such a file gives orders. */
export const isSteeringFile = (path: string): boolean =>
  path
    .normalize('NFKC')
    .toLowerCase()
    .split('/')
    .some((name) => STEERING_NAMES.some((pattern) => pattern.test(name)));
