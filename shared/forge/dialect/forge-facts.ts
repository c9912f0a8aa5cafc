/** The differences between the kinds of forges as data. Differences in behaviour are in `dialect.ts`. */
export type ForgeFacts = {
  readonly name: string;
  readonly changeRequests: string;
  /** The path of a change request's page below its project's page, up to the number. */
  readonly changeRequestPath: `/${string}/`;
  /** The prefix of a change request number. */
  readonly sigil: '#' | '!';
  /** The variable in which the command line looks for a token if no other variable is named. */
  readonly tokenEnv: string;
  /** The path of the page on which an account creates a token. */
  readonly tokenPage: string;
  readonly tokenScopes: string;
  /** The scope that a token needs for posting. Null if the forge does not report the scopes of a token. */
  readonly postingScope: string | null;
  /** Which tokens have a bot account of their own. Null when there are none. */
  readonly botTokens: string | null;
  /** How to give the bot's account write access. */
  readonly grantWriting: string;
  /** Which token may manage webhooks. */
  readonly hookToken: string;
  /** How to let the forge send webhooks to an address in a private network. */
  readonly allowHost: string;
  /** True if the forge refuses to save a webhook with an address to which it would not send anything. */
  readonly checksHookUrl: boolean;
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
