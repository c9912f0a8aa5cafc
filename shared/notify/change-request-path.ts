import type { ForgeKind } from '../vocabulary/forge-kind.ts';

/** The page of a change request below that of its project, up to the number. */
export const CHANGE_REQUEST_PATHS: Readonly<Record<ForgeKind, string>> = {
  forgejo: '/pulls/',
  gitea: '/pulls/',
  gitlab: '/-/merge_requests/',
};
