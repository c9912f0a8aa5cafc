/** Facts that are read before anything is decided. The only secrets in them are values of the environment file. */
import type { ListedHooks, Standing } from '../../../../shared/forge/admin/administration.ts';
import type { HookOwner } from '../../../../shared/forge/port-listing.ts';
import type { ForgeKind } from '../../../../shared/forge/kinds/forge-kind.ts';

/** The variable with the administrator's token, unless `--token-env` names another one. */
export const SETUP_TOKEN = 'FIXPOINT_SETUP_TOKEN';

export type HookPlace = {
  readonly owner: HookOwner;
  readonly listed: Exclude<ListedHooks, { readonly kind: 'none' }>;
  /** Why no review could be posted in the project. */
  readonly unusable: 'archived' | 'change_requests_off' | null;
};

export type MemberPlace = { readonly owner: HookOwner; readonly standing: Standing };

/** `text` is null when the file does not exist. */
export type FileFacts = { readonly path: string; readonly text: string | null; readonly mode: number | null };

export type SetupFacts = {
  readonly forge: {
    readonly id: string;
    readonly kind: ForgeKind;
    readonly baseUrl: string;
    readonly caFile: string | null;
  };
  readonly projects: readonly string[];
  readonly hookUrl: string;
  readonly bot: { readonly id: number; readonly login: string };
  readonly places: readonly HookPlace[];
  readonly members: readonly MemberPlace[];
  readonly config: FileFacts;
  readonly env: FileFacts;
  /** Names of the forge's variables, which the configuration has or will have. */
  readonly tokenEnv: string;
  readonly secretEnvs: readonly string[];
  readonly listen: { readonly host: string; readonly port: number } | null;
  /** Webhook addresses of earlier runs, by name of the project or group. */
  readonly madeBefore: ReadonlyMap<string, string>;
};

export const placeName = (owner: HookOwner): string =>
  owner.kind === 'project' ? owner.project.path : `${owner.path}/*`;
