/** "Outbound requests" of the administrator: whether webhooks may call the local network (GL doc/security/webhooks.md). */
import type { World } from './world.ts';

const PRIVATE = /^(?:localhost|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|\[::1\])$/;

export const isBlocked = (world: World, url: string): boolean =>
  !world.localHooksAllowed && URL.canParse(url) && PRIVATE.test(new URL(url).hostname);
