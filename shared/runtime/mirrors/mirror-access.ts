import type { ForgeSettings } from '../../config/forge-settings.ts';
import type { Config } from '../../config/load.ts';
import { demand } from '../../config/secrets.ts';
import { GIT_RENAME_LIKENESS } from '../../workspace/git/rename-likeness.ts';
import { findGit, type Protocol } from '../../workspace/git/git.ts';
import type { MirrorKeeper } from '../../workspace/mirror/mirror-keeper.ts';
import type { MirrorAccess } from '../../workspace/mirror/open-head.ts';
import { factsOf } from '../../forge/kinds/forge-kind.ts';

/** GitLab requires this user name with a token. Forgejo and Gitea accept any user name. */
const TOKEN_USER = 'oauth2';

type MirrorMeans = {
  readonly need?: 'git_token' | 'push_token';
  readonly keeper?: MirrorKeeper;
};

/** Git access to every configured forge, by id. Contract: the configuration was loaded with `need`. */
export const mirrorAccessOf = (
  config: Config,
  path: string | undefined,
  { need = 'git_token', keeper }: MirrorMeans = {},
): ReadonlyMap<string, MirrorAccess> => {
  const gitPath = findGit(path ?? '');
  return new Map(
    config.forges.map((settings) => {
      const secrets = config.secrets.forges.get(settings.id);
      const password = demand(need === 'git_token' ? secrets?.gitToken : secrets?.pushToken, need);
      const access: MirrorAccess = {
        dataFolder: config.dataDir,
        gitPath,
        credential: { username: TOKEN_USER, password },
        allowProtocols: protocolsOf(settings),
        caFile: settings.caFile,
        proxy: settings.proxy,
        fetchTimeoutMs: config.mirrors.fetchTimeoutS * 1000,
        renameLikeness: factsOf(settings.kind).renameLikeness,
        ...(keeper === undefined ? {} : { keeper }),
      };
      return [settings.id, access] as const;
    }),
  );
};

/** Plain http sends the token unencrypted. By configuring an http address the operator accepts this. */
const protocolsOf = ({ baseUrl }: ForgeSettings): readonly Protocol[] => (baseUrl.startsWith('http:') ? ['http'] : []);

/** Returns the value for this forge, or git's default when the forge is no longer configured. */
export const renameLikenessAt = ({ forges }: Pick<Config, 'forges'>, forgeId: string): number => {
  const kind = forges.find(({ id }) => id === forgeId)?.kind;
  return kind === undefined ? GIT_RENAME_LIKENESS : factsOf(kind).renameLikeness;
};
