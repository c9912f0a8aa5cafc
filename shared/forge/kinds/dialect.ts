/** What a kind of forge does in its own way, beside the calls of its adapter. */
import type { ParsedDelivery } from '../../webhooks/event.ts';
import type { DeliveryHeaders } from '../../webhooks/headers.ts';
import type { Verification } from '../../webhooks/verification.ts';
import type { ForgeHttp, HttpOptions } from '../http.ts';
import type { ApiPath } from '../path.ts';
import type { Forge } from '../port.ts';
import type { ProjectRef } from '../port-facts.ts';
import type { ConnectOptions } from './connect-options.ts';

/** A delivery as it came over the wire, and what this installation believes. */
export type SignedDelivery = {
  readonly headers: DeliveryHeaders;
  readonly rawBody: Uint8Array;
  readonly webhookSecrets: readonly string[];
  readonly signingTokens: readonly string[];
  readonly receivedAtMs: number;
};

/** Nothing has the id 0, and no change request this number, the largest that all of the forges read. */
export const NOTHING = 0;
export const NO_CHANGE_REQUEST = 2_147_483_647;

export type WriteProbe = { readonly what: string; readonly path: ApiPath };

/** What a token says about itself. */
export type OwnToken = { readonly scopes: readonly string[]; readonly expiresAtMs: number | null };

/** What a merge waits for in a project. */
export type MergeSettings = {
  /** "Pipelines must succeed". Null: not told. */
  readonly waitsForPipelines: boolean | null;
  /** "Skipped pipelines are considered successful". */
  readonly skippedPasses: boolean;
};

export type Dialect = {
  readonly connect: (options: ConnectOptions, signal: AbortSignal) => Promise<Forge>;
  /** Absent: `Authorization: token …`. */
  readonly tokenHeader?: HttpOptions['tokenHeader'];
  /** Who the token belongs to. */
  readonly selfPath: ApiPath;
  /** Null: a token cannot be asked about itself, or this one not. */
  readonly readOwnToken: ((http: ForgeHttp, signal: AbortSignal) => Promise<OwnToken | null>) | null;
  /** Deletions of what cannot be there: only their refusals tell something. */
  readonly writeProbes: (project: ProjectRef) => readonly WriteProbe[];
  /** Null: the forge names the contexts that a merge needs, and a review reads them itself. */
  readonly readMergeSettings:
    | ((http: ForgeHttp, projectId: number, signal: AbortSignal) => Promise<MergeSettings>)
    | null;
  /** What the name of an account tells about it, for people; empty for nothing. */
  readonly accountNote: (login: string) => string;
  readonly verify: (delivery: SignedDelivery) => Verification;
  readonly parse: (headers: DeliveryHeaders, body: unknown) => ParsedDelivery;
  readonly deliveryId: (headers: DeliveryHeaders) => string | null;
  /** Whether a wrong signature comes from a set-up that somebody should hear of. */
  readonly mayMistakeSignature: boolean;
};
