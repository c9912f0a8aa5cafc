/** The kinds of forges and their differences as data. Differences in behaviour are in `shared/forge/kinds/`. */
import { z } from 'zod';

/** Forgejo also answers Gitea's requests, so `forgejo` is tried first when the kind of a forge is determined. */
export const ForgeKind = z.enum(['forgejo', 'gitea', 'gitlab']);
export type ForgeKind = z.output<typeof ForgeKind>;

export type ForgeFacts = {
  readonly changeRequests: string;
  /** The prefix of a change request number. */
  readonly sigil: '#' | '!';
  readonly tokenScopes: string;
  /** How to give the bot's account write access. */
  readonly grantWriting: string;
  /** How to re-enable a webhook that the forge has disabled. */
  readonly switchHookOn: string;
  /** True if only project administrators may read permissions and webhooks. */
  readonly hidesFromWriters: boolean;
  readonly signingTokens: boolean;
  readonly nestedGroups: boolean;
  /**
   * Maximum length of a comment in characters, including the marker. Every version of the forge stores comments of this
   * length without cutting them.
   */
  readonly maxBodyLength: number;
  /** Maximum length of a commit status's target URL in characters. */
  readonly maxTargetUrl: number;
  /**
   * True when every status of a commit is kept and listed. If false, the target URL of an unfinished status cannot be
   * changed.
   */
  readonly keepsStatuses: boolean;
  /** True when a review has a body that can be edited later. */
  readonly reviewBody: boolean;
  /** True if a suggestion can replace several lines with one click. */
  readonly rangedSuggestions: boolean;
  /**
   * Minimum similarity in percent of files that count as renamed. Forgejo and Gitea use git's default of 50; GitLab's
   * Gitaly uses 30 (`CommitDiff`: `--find-renames=30%`). Comments must name lines of the diff that the forge shows.
   */
  readonly renameLikeness: number;
  /** True if the API serves single files that a CI job has uploaded, to the token of the bot. */
  readonly ciArtifacts: boolean;
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
  // The forge uses a TEXT column without a check (models/git/commit_status.go). Longer links would not be useful.
  maxTargetUrl: 2_000,
  keepsStatuses: true,
  reviewBody: true,
  rangedSuggestions: false,
  renameLikeness: 50,
  ciArtifacts: false,
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
    // This limit is in app/models/generic_commit_status.rb.
    maxTargetUrl: 255,
    // `find_or_build_external_status` in app/services/ci/create_commit_status_service.rb
    keepsStatuses: false,
    reviewBody: false,
    rangedSuggestions: true,
    renameLikeness: 30,
    ciArtifacts: true,
  },
};
