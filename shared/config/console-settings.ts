/** `[console]`: the operator's page. */
import { z } from 'zod';
import { ForgeId } from '../vocabulary/ids.ts';
import { BaseUrl, EnvName, Host, Port } from './values.ts';

/** Login with an account of a forge, which shows the projects of that account. */
const ConsoleLogin = z.strictObject({
  /** The id of the `[[forge]]`. */
  forge: ForgeId,
  /** The id of the application that was registered on the forge. */
  clientId: z.string().min(1).max(200),
  /** The name of the variable with the secret of the application. */
  clientSecretEnv: EnvName,
});

/** The addresses in the pages begin with a slash, so a proxy cannot serve them below a path. */
const PublicUrl = BaseUrl.refine((url) => new URL(url).pathname === '/', {
  message: 'expected a URL without a path, such as https://fixpoint.example.com',
});

export const ConsoleSettings = z.strictObject({
  enabled: z.boolean().default(false),
  host: Host.default('127.0.0.1'),
  port: Port.default(8090),
  /** The URL under which browsers reach the page, if a proxy is in front of it. With https, cookies are sent only over https. */
  publicUrl: PublicUrl.nullable().default(null),
  /** The name of the variable with the token that opens the page. */
  tokenEnv: EnvName.default('CONSOLE_TOKEN'),
  /** The name of the variable with the token that also allows actions. If null, there are no actions. */
  writeTokenEnv: EnvName.nullable().default(null),
  /** True: every job of every queue is shown by bull-board, whose packages the operator installs. */
  bullBoard: z.boolean().default(false),
  /** If null, only tokens open the page. */
  login: ConsoleLogin.nullable().default(null),
});
