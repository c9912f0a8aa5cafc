/** What a story does on a forge, and what stands there afterwards, in one shape for every kind of forge. */
import type { ForgeKind } from '../../shared/vocabulary/forge-kind.ts';
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
  /** Every head that the change request has had, oldest first. */
  readonly heads: readonly string[];
  /** What is said about the whole. */
  readonly comments: readonly Said[];
  /** Reviews as things of their own, unpublished ones included; none where the forge has no such thing. */
  readonly reviews: readonly (Said & { readonly state: string; readonly said: number })[];
  readonly inline: readonly (Said & {
    readonly path: string;
    readonly side: 'new' | 'old';
    /** As sent. */
    readonly line: number;
    readonly resolved: boolean;
    /** In the thread below it; where an answer is an inline comment of its own, none. */
    readonly replies: readonly Said[];
  })[];
  /** Comments that wait to be published together; none where only whole reviews wait. */
  readonly unpublished: readonly Said[];
  /** Newest state per context at the newest head. */
  readonly headStatuses: Readonly<Record<string, string>>;
};

export type Furnishing = {
  readonly owner: string;
  readonly author: string;
  readonly bot: string;
  /** Names of the projects below the owner. */
  readonly names: readonly string[];
};

export type Furnished = {
  /** Full names, in the order of the wish. */
  readonly repos: readonly string[];
  /** The numbers that the forge's API gives them, in the same order. */
  readonly projectIds: readonly number[];
  /** Of one account per purpose. */
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
  /** Returns the number. */
  open(wish: {
    readonly repo: string;
    readonly branch: string;
    readonly title: string;
    readonly author: string;
  }): Promise<number>;
  comment(wish: PlaceOnForge & { readonly as: string; readonly body: string }): Promise<void>;
  /** For everything that can happen. Returns what takes it away again. */
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
