import type { ForgeKind } from '../../vocabulary/forge-kind.ts';
import type { Dialect } from './dialect.ts';
import { FORGEJO_DIALECT } from './forgejo.ts';
import { GITLAB_DIALECT } from './gitlab.ts';

export const DIALECTS: Readonly<Record<ForgeKind, Dialect>> = {
  forgejo: FORGEJO_DIALECT,
  gitea: FORGEJO_DIALECT,
  gitlab: GITLAB_DIALECT,
};
