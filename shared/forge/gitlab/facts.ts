import type { ForgeFacts } from '../dialect/forge-facts.ts';

export const GITLAB_FACTS: ForgeFacts = {
  name: 'GitLab',
  changeRequests: 'merge requests',
  changeRequestPath: '/-/merge_requests/',
  sigil: '!',
  tokenEnv: 'GITLAB_TOKEN',
  tokenPage: '/-/user_settings/personal_access_tokens',
  tokenScopes: 'the scope api (for git alone: read_repository)',
  postingScope: 'api',
  botTokens: 'a project or group access token with the role Developer has its own bot account',
  grantWriting: 'make the bot a Developer of the project',
  hookToken: 'the token of a Maintainer with the scope api',
  allowHost: 'allow the host in Admin, Settings, Network, Outbound requests',
  checksHookUrl: true,
  switchHookOn: 'send a test in Settings, Webhooks: a successful response enables it again',
  hidesFromWriters: false,
  signingTokens: true,
  nestedGroups: true,
  maxBodyLength: 900_000,
  // This limit is in app/models/generic_commit_status.rb.
  maxTargetUrl: 255,
  // `find_or_build_external_status` in app/services/ci/create_commit_status_service.rb
  keepsStatuses: false,
  reviewBody: false,
  rangedSuggestions: true,
  renameLikeness: 30,
  ciArtifacts: true,
};
