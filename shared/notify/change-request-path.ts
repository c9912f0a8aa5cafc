import type { ForgeKind } from '../vocabulary/forge-kind.ts';

/** The path of a change request's page below its project's page, up to the number. */
export const CHANGE_REQUEST_PATHS: Readonly<Record<ForgeKind, string>> = {
  forgejo: '/pulls/',
  gitea: '/pulls/',
  gitlab: '/-/merge_requests/',
};
