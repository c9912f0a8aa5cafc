import { Metadata } from '@gitbeaker/rest';
import type { z } from 'zod';
import { hasForgeCode } from '../../errors.ts';
import type { ForgeHttp } from '../../http.ts';
import { apiPath } from '../../path.ts';
import type { GitlabApi } from './requester.ts';
import { ApiVersionFacts } from './schema.ts';

export type GitlabTraits = {
  /** Inline comments can be drafted and published together with one notification. */
  readonly draftNotes: boolean;
  /** Whether a push can remove approvals: true for the Enterprise Edition, and when the edition is unknown. */
  readonly resetsApprovals: boolean;
  /** The version, for `doctor`; null when the installation does not report it. */
  readonly version: string | null;
};

/** Bulk publishing, the last part of the draft notes API, was added in 15.11. */
const DRAFTS_SINCE = { major: 16, minor: 0 };

export const traitsFromVersion = (version: string | null, enterprise: boolean | null): GitlabTraits => {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})\b/.exec(version ?? '') ?? [];
  const known = { major: Number(major ?? 0), minor: Number(minor ?? 0) };
  const isNewer =
    known.major === DRAFTS_SINCE.major ? known.minor >= DRAFTS_SINCE.minor : known.major > DRAFTS_SINCE.major;
  return { draftNotes: isNewer, resetsApprovals: enterprise ?? true, version };
};

type Told = z.output<typeof ApiVersionFacts>;

const orNull = async (reading: Promise<Told>): Promise<Told | null> => {
  try {
    return await reading;
  } catch (error) {
    // A project token may not read the version, and older releases lack `/metadata`.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

/**
 * Throws when the token is not accepted.
 * - GET /metadata (15.2): https://docs.gitlab.com/api/metadata/
 * - GET /version:         https://docs.gitlab.com/api/version/
 */
export const probeGitlabTraits = async (
  api: GitlabApi,
  http: ForgeHttp,
  signal: AbortSignal,
): Promise<GitlabTraits> => {
  const told = await orNull(api.read(ApiVersionFacts, signal, (options) => new Metadata(options).show()));
  if (told !== null) return traitsFromVersion(told.version, told.enterprise ?? null);
  const asked = http.read({ path: apiPath`/api/v4/version`, schema: ApiVersionFacts }, signal);
  const version = await orNull(asked.then(({ value }) => value));
  return traitsFromVersion(version?.version ?? null, version?.enterprise ?? null);
};
