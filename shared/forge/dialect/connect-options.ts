import type { ForgeId } from '../../vocabulary/ids.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createForgeHttp, type ForgeHttp, type HttpOptions, type Timeouts } from '../http.ts';
import type { ProxySetting } from '../../vocabulary/proxy-setting.ts';
import type { UnsetStatus } from '../port-statuses.ts';
import type { OnRequest } from '../request-seen.ts';
import type { RetryPolicy } from '../retry.ts';

/** Abilities of one installation. Each kind of forge adds its own. Version: null if the forge does not report it. */
export type InstallationTraits = { readonly version: string | null };

export type InstallationOptions = {
  readonly id: ForgeId;
  readonly baseUrl: string;
  readonly token: string;
  /** True for a token of a login (OAuth), which no forge accepts in its own header. Absent means false. */
  readonly isBearer?: boolean;
  /** Certificate of a private certificate authority, as PEM. */
  readonly ca?: string;
  /** Default: the variables of the environment decide. */
  readonly proxy?: ProxySetting;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
  readonly onRequest?: OnRequest;
  /** Called once with the abilities of the installation, for the log and `doctor`. */
  readonly onTraits?: (traits: InstallationTraits) => void;
  /** Called when a status could not be set. The review continues. */
  readonly onStatusUnset?: (unset: UnsetStatus) => void;
  /** Whether the bot may have edited a review with this body. When absent, the bot never edits reviews. */
  readonly isEdited?: (body: string) => boolean;
};

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const openHttp = (options: InstallationOptions, ownHeader?: HttpOptions['tokenHeader']): ForgeHttp => {
  const tokenHeader = options.isBearer === true ? bearer : ownHeader;
  const { id, baseUrl, token, ca, proxy = null, timeouts, retry, clock = systemClock, onRequest } = options;
  return createForgeHttp({
    forgeId: id,
    baseUrl,
    token,
    clock,
    proxy,
    ...(ca === undefined ? {} : { ca }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(tokenHeader === undefined ? {} : { tokenHeader }),
  });
};
