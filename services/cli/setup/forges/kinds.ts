import type { ForgeHttp } from '../../../../shared/forge/http.ts';
import type { ForgeKind } from '../../../../shared/vocabulary/forge-kind.ts';
import type { Administration } from './administration.ts';
import { administerForgejo } from './forgejo.ts';
import { administerGitlab } from './gitlab.ts';

export const ADMINISTRATIONS: Readonly<Record<ForgeKind, (http: ForgeHttp) => Administration>> = {
  forgejo: administerForgejo('forgejo'),
  gitea: administerForgejo('gitea'),
  gitlab: administerGitlab,
};
