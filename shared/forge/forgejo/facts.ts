import type { ForgeFacts } from '../dialect/forge-facts.ts';

export const FORGEJO_FACTS: ForgeFacts = {
  name: 'Forgejo',
  changeRequests: 'pull requests',
  changeRequestPath: '/pulls/',
  sigil: '#',
  tokenEnv: 'FORGEJO_TOKEN',
  tokenPage: '/user/settings/applications',
  tokenScopes: 'the scopes read:user, write:repository, write:issue and read:organization',
  postingScope: null,
  botTokens: null,
  grantWriting: 'make the bot a collaborator with write access',
  hookToken: 'the token of an administrator of the project with the scope write:repository',
  allowHost: 'add the host to [webhook] ALLOWED_HOST_LIST of the forge',
  checksHookUrl: false,
  switchHookOn: 'enable "Active" in Settings, Webhooks',
  hidesFromWriters: true,
  signingTokens: false,
  nestedGroups: false,
  maxBodyLength: 200_000,
  // The forge uses a TEXT column without a check (models/git/commit_status.go). Longer links would not be useful.
  maxTargetUrl: 2_000,
  keepsStatuses: true,
  reviewBody: true,
  rangedSuggestions: false,
  renameLikeness: 50,
  ciArtifacts: false,
};
