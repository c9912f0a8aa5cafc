/** Abilities of one installation, detected from its API description or version, never from its name. */
import { z } from 'zod';
import { hasForgeCode } from '../../errors.ts';
import type { ForgeHttp } from '../../http.ts';
import { apiPath } from '../../path.ts';

export type ForgeTraits = {
  /** An inline comment may span several lines (`extra_lines_count`). */
  readonly extraLinesCount: boolean;
  readonly replyRoute: 'review_comments' | 'comment_replies' | 'none';
  /** `POST pulls/comments/{id}/resolve` accepts a token. */
  readonly resolveRoute: boolean;
  /** How to delete one inline comment. `issue_comments` returns 204 even when nothing was deleted, so the result is verified. */
  readonly deleteInlineRoute: 'review_comments' | 'issue_comments';
  /** Change requests have the field `draft`; otherwise the title prefix decides. */
  readonly draftField: boolean;
  readonly statusSkipped: boolean;
  /** `GET actions/runs` exists for a project. */
  readonly runsRoute: boolean;
  /** Largest page size. The forge silently lowers a larger limit. */
  readonly maxPageSize: number;
  /** Text for `doctor`: the version that the installation reports, and the source of these abilities. */
  readonly version: string;
  readonly source: 'api_description' | 'version' | 'nothing';
};

type Abilities = Omit<ForgeTraits, 'maxPageSize' | 'version' | 'source'>;

const LEAST: Abilities = {
  extraLinesCount: false,
  replyRoute: 'none',
  resolveRoute: false,
  deleteInlineRoute: 'issue_comments',
  draftField: false,
  statusSkipped: false,
  runsRoute: false,
};

const Definition = z.object({
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});

export const ApiDescription = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  definitions: z.record(z.string(), Definition),
});
export type ApiDescription = z.output<typeof ApiDescription>;

const REVIEW_COMMENTS = '/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments';
const COMMENT_REPLIES = '/repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies';
const RUNS = '/repos/{owner}/{repo}/actions/runs';
const RESOLVE = '/repos/{owner}/{repo}/pulls/comments/{id}/resolve';

export const traitsFromDescription = (description: ApiDescription): Abilities => {
  const { paths, definitions } = description;
  const has = (path: string, method: string): boolean => paths[path]?.[method] !== undefined;
  const field = (name: string, property: string): unknown => definitions[name]?.properties?.[property];
  const ownReply = has(REVIEW_COMMENTS, 'post') ? 'review_comments' : 'none';
  // One forge describes the states in prose, the other as an enumeration, so the description is searched for the word.
  const states = JSON.stringify([definitions['CommitStatusState'] ?? null, field('CommitStatus', 'status') ?? null]);
  return {
    extraLinesCount: field('CreatePullReviewComment', 'extra_lines_count') !== undefined,
    replyRoute: has(COMMENT_REPLIES, 'post') ? 'comment_replies' : ownReply,
    resolveRoute: has(RESOLVE, 'post'),
    deleteInlineRoute: has(`${REVIEW_COMMENTS}/{comment}`, 'delete') ? 'review_comments' : 'issue_comments',
    draftField: field('PullRequest', 'draft') !== undefined,
    statusSkipped: /\bskipped\b/.test(states),
    runsRoute: has(RUNS, 'get'),
  };
};

const FORGEJO_VERSION = /^(\d+)\.\d+\.\d+.*\+gitea-/;
const GITEA_VERSION = /^v?1\.(\d+)\./;

/** Taken from the API descriptions since Forgejo 7 and Gitea 1.22. The Gitea version that Forgejo reports never changes. */
export const traitsFromVersion = (version: string): Abilities | null => {
  const forgejo = Number(FORGEJO_VERSION.exec(version)?.[1] ?? 0);
  if (forgejo >= 7) {
    return {
      extraLinesCount: forgejo >= 16,
      replyRoute: 'review_comments',
      resolveRoute: false,
      deleteInlineRoute: 'review_comments',
      draftField: forgejo >= 8,
      statusSkipped: forgejo >= 16,
      runsRoute: forgejo >= 15,
    };
  }
  const gitea = forgejo > 0 ? 0 : Number(GITEA_VERSION.exec(version)?.[1] ?? 0);
  if (gitea < 22) return null;
  return {
    ...LEAST,
    replyRoute: gitea >= 27 ? 'comment_replies' : 'none',
    resolveRoute: gitea >= 26,
    draftField: true,
    statusSkipped: gitea >= 26,
    runsRoute: gitea >= 26,
  };
};

const Version = z.object({ version: z.string().max(100) });
const ApiSettings = z.object({ max_response_items: z.number().int().positive() });

/** The default of `MAX_RESPONSE_ITEMS` on both forges. */
const DEFAULT_PAGE_SIZE = 50;

/** An installation may disable its API description (404) or protect it (401, 403, a login page). */
const orNull = async <T>(reading: Promise<{ readonly value: T }>): Promise<T | null> => {
  try {
    return (await reading).value;
  } catch (error) {
    const codes = [
      'FORGE_NOT_FOUND',
      'FORGE_FORBIDDEN',
      'FORGE_UNAUTHORISED',
      'FORGE_REDIRECTED',
      'FORGE_BAD_ANSWER',
    ] as const;
    if (hasForgeCode(error, ...codes)) return null;
    throw error;
  }
};

/**
 * Throws when the forge cannot be reached.
 * - GET /api/v1/version       https://codeberg.org/api/swagger#/miscellaneous/getVersion
 * - GET /swagger.v1.json      https://forgejo.org/docs/latest/user/api-usage/
 * - GET /api/v1/settings/api  https://codeberg.org/api/swagger#/settings/getGeneralAPISettings
 */
export const probeTraits = async (http: ForgeHttp, signal: AbortSignal): Promise<ForgeTraits> => {
  const { value: told } = await http.read({ path: apiPath`/api/v1/version`, schema: Version }, signal);
  const [description, settings] = await Promise.all([
    orNull(http.read({ path: apiPath`/swagger.v1.json`, schema: ApiDescription }, signal)),
    orNull(http.read({ path: apiPath`/api/v1/settings/api`, schema: ApiSettings }, signal)),
  ]);
  const maxPageSize = Math.min(settings?.max_response_items ?? DEFAULT_PAGE_SIZE, 100);
  const facts = { maxPageSize, version: told.version };
  if (description !== null) return { ...traitsFromDescription(description), ...facts, source: 'api_description' };
  const known = traitsFromVersion(told.version);
  return known === null ? { ...LEAST, ...facts, source: 'nothing' } : { ...known, ...facts, source: 'version' };
};
