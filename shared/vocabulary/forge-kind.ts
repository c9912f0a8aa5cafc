/** The kinds of forges, and what differs between them as plain facts. What differs in code is in `shared/forge/kinds/`. */
import { z } from 'zod';

export const ForgeKind = z.enum(['forgejo', 'gitea', 'gitlab']);
export type ForgeKind = z.output<typeof ForgeKind>;

export type ForgeFacts = {
  /** What the forge calls change requests. */
  readonly changeRequests: string;
  /** In front of the number of a change request. */
  readonly sigil: '#' | '!';
  /** The scopes that a token needs. */
  readonly tokenScopes: string;
  /** How a project gives an account the rights that the bot needs. */
  readonly grantWriting: string;
  /** How a webhook that the forge has switched off is switched on again. */
  readonly switchHookOn: string;
  /** Whether only an administrator of a project may read its permissions and webhooks. */
  readonly hidesFromWriters: boolean;
  readonly signingTokens: boolean;
  readonly nestedGroups: boolean;
  /** Characters that every version stores without cutting; the marker is within them. */
  readonly maxBodyLength: number;
  /** Whether a suggestion may replace several lines with one click. */
  readonly rangedSuggestions: boolean;
  /**
   * From how much likeness on, in percent, a removed and an added file are one renamed file. Forgejo and Gitea use git's
   * own 50; GitLab's Gitaly asks for 30 (`CommitDiff`: `--find-renames=30%`). A comment must name lines of the diff that
   * its forge shows.
   */
  readonly renameLikeness: number;
};

const FORGEJO: ForgeFacts = {
  changeRequests: 'pull requests',
  sigil: '#',
  tokenScopes: 'the scopes read:user, write:repository, write:issue and read:organization',
  grantWriting: 'make the bot a collaborator with write access',
  switchHookOn: 'enable "Active" in Settings, Webhooks',
  hidesFromWriters: true,
  signingTokens: false,
  nestedGroups: false,
  maxBodyLength: 200_000,
  rangedSuggestions: false,
  renameLikeness: 50,
};

export const FORGE_FACTS: Readonly<Record<ForgeKind, ForgeFacts>> = {
  forgejo: FORGEJO,
  gitea: FORGEJO,
  gitlab: {
    changeRequests: 'merge requests',
    sigil: '!',
    tokenScopes: 'the scope api (for git alone: read_repository)',
    grantWriting: 'make the bot a Developer of the project',
    switchHookOn: 'send a test in Settings, Webhooks: a successful response enables it again',
    hidesFromWriters: false,
    signingTokens: true,
    nestedGroups: true,
    maxBodyLength: 900_000,
    rangedSuggestions: true,
    renameLikeness: 30,
  },
};
