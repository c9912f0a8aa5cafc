/** Matches files and folders, at any depth, that configure git, the forge, its CI, or tools that read a repository. */
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

export const isSteeringFile = (path: string): boolean =>
  path
    .normalize('NFKC')
    .toLowerCase()
    .split('/')
    .some((name) => STEERING_NAMES.some((pattern) => pattern.test(name)));
