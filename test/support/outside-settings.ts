/** Settings of external programs that use the protocol, each with a random token or with a folder. */
import { randomBytes } from 'node:crypto';

export type OutsideClient = {
  readonly name: string;
  readonly role: 'author' | 'reviewer';
  /** Set when the client uses a folder; otherwise it uses HTTP with `token`. */
  readonly folder?: string;
  readonly token?: string;
  /** Patterns of projects. Default: only the first project, by its id. */
  readonly match?: readonly string[];
};

export type OutsideWish = {
  readonly clients: readonly OutsideClient[];
  /** True: the client with the role `reviewer` does the reviews. */
  readonly reviews: boolean;
};

export const makeToken = (): string => randomBytes(24).toString('hex');

export const outsideSettings = (
  wish: OutsideWish | undefined,
  projectId: number,
): { readonly toml: string; readonly env: Readonly<Record<string, string>> } => {
  if (wish === undefined) return { toml: '', env: {} };
  const tables = wish.clients.map(({ name, role, folder, match }) =>
    [
      '[[messages.client]]',
      `name = "${name}"`,
      `role = "${role}"`,
      'forge = "sim"',
      match === undefined ? `project_id = ${projectId}` : `match = ${JSON.stringify(match)}`,
      folder === undefined ? `token_env = "${envOf(name)}"` : `folder = "${folder}"`,
    ].join('\n'),
  );
  const env = wish.clients.flatMap(({ name, folder, token }) =>
    folder === undefined ? [[envOf(name), token ?? makeToken()]] : [],
  );
  return { toml: ['[messages]', 'folder_seconds = 1', ...tables].join('\n'), env: Object.fromEntries(env) };
};

const envOf = (name: string): string => `${name.toUpperCase()}_MESSAGES_TOKEN`;
