import type { ParsedDelivery } from '../../webhooks/event.ts';
import type { DeliveryHeaders } from '../../webhooks/headers.ts';
import type { Verification } from '../../webhooks/verification.ts';
import type { ForgeHttp, HttpOptions } from '../http.ts';
import type { ApiPath } from '../path.ts';
import type { Forge } from '../port.ts';
import type { ProjectRef } from '../port-facts.ts';
import type { ConnectOptions } from './connect-options.ts';

export type SignedDelivery = {
  readonly headers: DeliveryHeaders;
  readonly rawBody: Uint8Array;
  readonly webhookSecrets: readonly string[];
  readonly signingTokens: readonly string[];
  readonly receivedAtMs: number;
};

/** An object id and a change request number that never exist. The number is the largest that every forge can parse. */
export const NOTHING = 0;
export const NO_CHANGE_REQUEST = 2_147_483_647;

export type WriteProbe = { readonly what: string; readonly path: ApiPath };

export type OwnToken = { readonly scopes: readonly string[]; readonly expiresAtMs: number | null };

export type MergeSettings = {
  /** The GitLab setting "Pipelines must succeed". Null when the forge does not report it. */
  readonly waitsForPipelines: boolean | null;
  /** The GitLab setting "Skipped pipelines are considered successful". */
  readonly skippedPasses: boolean;
};

export type Dialect = {
  readonly connect: (options: ConnectOptions, signal: AbortSignal) => Promise<Forge>;
  /** When absent, the header is `Authorization: token …`. */
  readonly tokenHeader?: HttpOptions['tokenHeader'];
  readonly selfPath: ApiPath;
  /** Null when the forge describes no tokens; returns null when it does not describe this kind of token. */
  readonly readOwnToken: ((http: ForgeHttp, signal: AbortSignal) => Promise<OwnToken | null>) | null;
  /** DELETE requests for objects that do not exist: the status shows whether the token may write. */
  readonly writeProbes: (project: ProjectRef) => readonly WriteProbe[];
  /** Null when the forge lists required contexts instead; a review reads those itself. */
  readonly readMergeSettings:
    | ((http: ForgeHttp, projectId: number, signal: AbortSignal) => Promise<MergeSettings>)
    | null;
  /** A note about the account for the operator, derived from its login; empty when there is none. */
  readonly accountNote: (login: string) => string;
  readonly verify: (delivery: SignedDelivery) => Verification;
  readonly parse: (headers: DeliveryHeaders, body: unknown) => ParsedDelivery;
  readonly deliveryId: (headers: DeliveryHeaders) => string | null;
  /** Whether a common configuration mistake, of which the operator should be told, can cause a wrong signature. */
  readonly mayMistakeSignature: boolean;
};
