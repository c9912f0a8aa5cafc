import type { ForgeHttp } from '../http.ts';
import type { ForgeKind } from '../../vocabulary/forge-kind.ts';
import type { Administration } from './administration.ts';
import { administerForgejo } from './forgejo.ts';
import { administerGitlab } from './gitlab.ts';

export const ADMINISTRATIONS: Readonly<Record<ForgeKind, (http: ForgeHttp) => Administration>> = {
  forgejo: administerForgejo('forgejo'),
  gitea: administerForgejo('gitea'),
  gitlab: administerGitlab,
};
