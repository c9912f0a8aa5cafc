/** Actions of people on a forge, and the forge's state, in one shape for all kinds of forge. */
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { FileMap } from '../sim/forgejo/git.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import { type GitlabSim, startGitlabSim } from '../sim/gitlab/start.ts';
import { forgejoHands } from './fleet-forgejo.ts';
import { gitlabHands } from './fleet-gitlab.ts';

export const FORGE_KINDS = ['forgejo', 'gitea', 'gitlab'] as const satisfies readonly ForgeKind[];

export type SimOf = { readonly forgejo: ForgejoSim; readonly gitea: ForgejoSim; readonly gitlab: GitlabSim };
export type FleetSim = SimOf[ForgeKind];

export type PlaceOnForge = { readonly repo: string; readonly number: number };

export type Said = { readonly author: string; readonly body: string };

export type ForgeView = {
  readonly heads: readonly string[];
  readonly comments: readonly Said[];
  /** Reviews, including unpublished ones; empty when the forge has no reviews. */
  readonly reviews: readonly (Said & { readonly state: string; readonly said: number })[];
  readonly inline: readonly (Said & {
    readonly path: string;
    readonly side: 'new' | 'old';
    /** The line number as sent. */
    readonly line: number;
    readonly resolved: boolean;
    /** Replies in its thread. Empty when the forge stores replies as inline comments. */
    readonly replies: readonly Said[];
  })[];
  /** Draft comments; empty when the forge has only draft reviews. */
  readonly unpublished: readonly Said[];
  /** Newest state per context at the newest head. */
  readonly headStatuses: Readonly<Record<string, string>>;
};

export type Furnishing = {
  readonly owner: string;
  readonly author: string;
  readonly bot: string;
  readonly names: readonly string[];
};

export type Furnished = {
  /** Full names, in the order of the wish. */
  readonly repos: readonly string[];
  /** The projects' numeric API ids, in the same order. */
  readonly projectIds: readonly number[];
  readonly tokens: { readonly read: string; readonly post: string; readonly git: string };
};

export type ForgeHands = {
  furnish(wish: Furnishing): Promise<Furnished>;
  commit(wish: {
    readonly repo: string;
    readonly branch: string;
    readonly files: FileMap;
    readonly message: string;
    readonly author: string;
  }): Promise<void>;
  open(wish: {
    readonly repo: string;
    readonly branch: string;
    readonly title: string;
    readonly author: string;
  }): Promise<number>;
  comment(wish: PlaceOnForge & { readonly as: string; readonly body: string }): Promise<void>;
  /** Subscribes to all events. Returns a function that removes the hook. */
  addWebhook(wish: { readonly repo: string; readonly url: string; readonly secret: string }): () => void;
  look(at: PlaceOnForge): ForgeView;
};

export const handsOn = (sim: FleetSim): ForgeHands => ('traits' in sim ? forgejoHands(sim) : gitlabHands(sim));

type SimOptions = { readonly dataDir: string };

const STARTERS: { readonly [Kind in ForgeKind]: (options: SimOptions) => Promise<SimOf[Kind]> } = {
  forgejo: async (options) => startForgejoSim({ ...options, flavour: 'forgejo-15' }),
  gitea: async (options) => startForgejoSim({ ...options, flavour: 'gitea-1.26' }),
  gitlab: async (options) => startGitlabSim(options),
};

export const startSim = async <Kind extends ForgeKind>(kind: Kind, options: SimOptions): Promise<SimOf[Kind]> =>
  STARTERS[kind](options);
