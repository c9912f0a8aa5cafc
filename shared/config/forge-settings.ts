/** `[[forge]]`: the address of a forge, the environment variables with its secrets, and the projects to serve. */
import { z } from 'zod';
import { factsOf, ForgeKind, nameAble } from '../forge/kinds/forge-kind.ts';
import { ForgeId } from '../vocabulary/ids.ts';
import { EnvName, FilePath, ForgeUrl, Login, ProjectPattern, Proxy } from './values.ts';

const OptionalEnvName = EnvName.nullable().default(null);

const ForgeTable = z.strictObject({
  /** The id should never change: webhook URLs and store keys contain it. After a rename, only what the forge stores is found. */
  id: z.string().refine((id) => ForgeId.safeParse(id).success, {
    message: 'expected 1 to 32 lower-case letters, digits or "-"',
  }),
  kind: ForgeKind,
  baseUrl: ForgeUrl,
  /** Token for every purpose; each setting below overrides it for one purpose. */
  tokenEnv: OptionalEnvName,
  readTokenEnv: OptionalEnvName,
  postTokenEnv: OptionalEnvName,
  gitTokenEnv: OptionalEnvName,
  /** Token of the author; it is read only if `author.enabled` is set. */
  pushTokenEnv: OptionalEnvName,
  /** During a rotation there may be several: an event signed with any of them is accepted. Empty if only `signing_token_env` is used. */
  webhookSecretEnvs: z.array(EnvName).max(5).default([]),
  /** GitLab only: the signing token (`whsec_…`) of Standard Webhooks. */
  signingTokenEnv: OptionalEnvName,
  /** The only projects whose events are handled and that the sweep visits; see `projects/project-scope.ts`. */
  projects: z.array(ProjectPattern).min(1).max(1000),
  previousBotUserIds: z.array(z.int().positive()).max(20).default([]),
  /** Numeric ids of other bots. Their comments, reviews and commands are ignored. */
  botUserIds: z.array(z.int().positive()).max(1000).default([]),
  /** Ids of bots whose commands are accepted, within their permissions on the project. */
  allowedBotUserIds: z.array(z.int().positive()).max(1000).default([]),
  /** PEM file of the certificate authority that signed the forge's certificate. */
  caFile: FilePath.nullable().default(null),
  /** How this forge and its git are reached; see `ProxySetting`. */
  proxy: Proxy,
  /** The name that people write after "@" to mention the bot. Null means the bot's account name. */
  mention: Login.nullable().default(null),
});

/** Checks across settings run even if some settings are invalid, so that all errors are reported at once; a setting may be missing. */
const isTable = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

/** Returns no entries for a value that is not a list, because that error is reported elsewhere. */
const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type PurposeKey = 'readTokenEnv' | 'postTokenEnv' | 'gitTokenEnv';

const hasToken =
  (key: PurposeKey) =>
  (forge: z.output<typeof ForgeTable>): boolean =>
    Boolean(forge.tokenEnv ?? forge[key]);

const tokenIsMissing = (key: PurposeKey) => ({
  path: [key],
  message: 'is missing; set it, or set token_env for all purposes',
  when: isTable,
});

/** Returns true for a value of the wrong type, because that error is reported elsewhere. */
const namesSecret = (value: unknown): boolean =>
  (!Array.isArray(value) && value !== undefined) || entriesOf(value).length > 0;

const isNested = (pattern: unknown): boolean => typeof pattern === 'string' && pattern.split('/').length > 2;

/** Returns false for an invalid kind, because that error is reported elsewhere. */
const hasFact = (kind: unknown, fact: 'signingTokens' | 'nestedGroups'): boolean => {
  const known = ForgeKind.safeParse(kind);
  return known.success && factsOf(known.data)[fact];
};

export const ForgeSettings = ForgeTable.refine(hasToken('readTokenEnv'), tokenIsMissing('readTokenEnv'))
  .refine(hasToken('postTokenEnv'), tokenIsMissing('postTokenEnv'))
  .refine(hasToken('gitTokenEnv'), tokenIsMissing('gitTokenEnv'))
  .refine((forge) => !forge.signingTokenEnv || hasFact(forge.kind, 'signingTokens'), {
    path: ['signingTokenEnv'],
    message: `only ${nameAble('signingTokens')} has signing tokens; correct kind or remove the key`,
    when: isTable,
  })
  .refine((forge) => namesSecret(forge.webhookSecretEnvs) || Boolean(forge.signingTokenEnv), {
    path: ['webhookSecretEnvs'],
    message: 'names no variable; set at least one, or signing_token_env on GitLab',
    when: isTable,
  })
  .refine((forge) => !entriesOf(forge.allowedBotUserIds).some((id) => entriesOf(forge.botUserIds).includes(id)), {
    path: ['allowedBotUserIds'],
    message: 'contains an id that is also in bot_user_ids; list each id in only one of them',
    when: isTable,
  })
  .refine((forge) => hasFact(forge.kind, 'nestedGroups') || !entriesOf(forge.projects).some(isNested), {
    path: ['projects'],
    message: `only ${nameAble('nestedGroups')} has nested groups; expected "owner/name", "owner/*" or "*"`,
    when: isTable,
  });
export type ForgeSettings = z.output<typeof ForgeSettings>;

export const Forges = z
  .array(ForgeSettings)
  .min(1)
  .max(20)
  .refine((forges) => new Set(forges.map((forge) => forge?.id)).size === forges.length, {
    message: 'two forges have the same id; ids must be unique',
    when: ({ value }) => Array.isArray(value),
  });
