import type { ParsedDelivery } from '../../webhooks/event.ts';
import type { DeliveryHeaders } from '../../webhooks/headers.ts';
import type { Verification } from '../../webhooks/verification.ts';
import type { ForgeHttp, HttpOptions } from '../http.ts';
import type { ApiPath } from '../path.ts';
import type { Forge } from '../port.ts';
import type { ProjectRef } from '../port-facts.ts';
import type { OwnersSyntax } from '../../owners/owners-syntax.ts';
import type { Administration } from '../admin/administration.ts';
import type { InstallationOptions } from './connect-options.ts';
import type { ForgeFacts } from './forge-facts.ts';

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

/** Login with an account of the forge (OAuth). */
export type OauthFacts = {
  readonly authorizePath: ApiPath;
  readonly tokenPath: ApiPath;
  /** Enough to name the account and to list its projects. Releases that know no scopes ignore it. */
  readonly scope: string;
};

/**
 * Everything that differs between the kinds of forges. Settings import this table, so a dialect loads the client of its
 * forge only in `connect` and `administer`.
 */
export type Dialect = {
  readonly facts: ForgeFacts;
  readonly connect: (options: InstallationOptions, signal: AbortSignal) => Promise<Forge>;
  /** What setup does as an administrator. */
  readonly administer: (http: ForgeHttp) => Promise<Administration>;
  /** A path that only this kind of forge, or a kind later in the table, answers. It needs no token. */
  readonly versionPath: ApiPath;
  readonly oauth: OauthFacts;
  readonly codeOwners: OwnersSyntax;
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
