/** One `[[forge]]` of `fixpoint.toml`: where it is, which variables hold its secrets, which projects are served. */
import { z } from 'zod';
import { ForgeKind } from '../vocabulary/forge-kind.ts';
import { ForgeId } from '../vocabulary/ids.ts';
import { BaseUrl, EnvName, FilePath, Login, ProjectPattern } from './values.ts';

const OptionalEnvName = EnvName.nullable().default(null);

const ForgeTable = z.strictObject({
  /** Stable: it stands in markers, webhook addresses and keys. Renaming it starts a new life. */
  id: z.string().refine((id) => ForgeId.safeParse(id).success, {
    message: 'expected 1 to 32 lower-case letters, digits or "-"',
  }),
  kind: ForgeKind,
  baseUrl: BaseUrl,
  /** One token for everything; each of the three below takes its place for one purpose. */
  tokenEnv: OptionalEnvName,
  readTokenEnv: OptionalEnvName,
  postTokenEnv: OptionalEnvName,
  gitTokenEnv: OptionalEnvName,
  /** The author's; read only where `author.enabled`. */
  pushTokenEnv: OptionalEnvName,
  /** Several during rotation: an event signed with any of them is accepted. May be empty beside a signing token. */
  webhookSecretEnvs: z.array(EnvName).max(5).default([]),
  /** GitLab only: the signing token of Standard Webhooks, `whsec_…`. */
  signingTokenEnv: OptionalEnvName,
  /** Allow list for events and for the sweep: see `project-scope.ts`. Events of other projects are ignored. */
  projects: z.array(ProjectPattern).min(1).max(1000),
  previousBotUserIds: z.array(z.int().positive()).max(20).default([]),
  /** Numeric ids of other bots: their comments, reviews and commands cause nothing. */
  botUserIds: z.array(z.int().positive()).max(1000).default([]),
  /** Of bots that may command, as far as their permission on the project goes. */
  allowedBotUserIds: z.array(z.int().positive()).max(1000).default([]),
  /** PEM file with the authority that signed the certificate of this forge. */
  caFile: FilePath.nullable().default(null),
  /** What people write after "@" to call the bot. Null: the bot's own account name. */
  mention: Login.nullable().default(null),
});

/**
 * Rules between keys. They run although other keys are wrong, so that one start reports everything; what they look at
 * may therefore be missing.
 */
const isTable = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null;

/** What is no list, and so reported already, has no entries. */
const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type PurposeKey = 'readTokenEnv' | 'postTokenEnv' | 'gitTokenEnv';

const hasToken =
  (key: PurposeKey) =>
  (forge: z.output<typeof ForgeTable>): boolean =>
    Boolean(forge.tokenEnv ?? forge[key]);

const tokenIsMissing = (key: PurposeKey) => ({
  path: [key],
  message: 'is missing; expected it, or token_env for all purposes',
  when: isTable,
});

/** A value of another type is a mistake of its own, beside which this one would only confuse. */
const namesSecret = (value: unknown): boolean =>
  (!Array.isArray(value) && value !== undefined) || entriesOf(value).length > 0;

const isNested = (pattern: unknown): boolean => typeof pattern === 'string' && pattern.split('/').length > 2;

export const ForgeSettings = ForgeTable.refine(hasToken('readTokenEnv'), tokenIsMissing('readTokenEnv'))
  .refine(hasToken('postTokenEnv'), tokenIsMissing('postTokenEnv'))
  .refine(hasToken('gitTokenEnv'), tokenIsMissing('gitTokenEnv'))
  .refine((forge) => !forge.signingTokenEnv || forge.kind === 'gitlab', {
    path: ['signingTokenEnv'],
    message: 'only GitLab has signing tokens; expected kind "gitlab" or no such key',
    when: isTable,
  })
  .refine((forge) => namesSecret(forge.webhookSecretEnvs) || Boolean(forge.signingTokenEnv), {
    path: ['webhookSecretEnvs'],
    message: 'names no variable; expected at least one, or signing_token_env on GitLab',
    when: isTable,
  })
  .refine((forge) => !entriesOf(forge.allowedBotUserIds).some((id) => entriesOf(forge.botUserIds).includes(id)), {
    path: ['allowedBotUserIds'],
    message: 'holds an id that bot_user_ids holds, too; expected each in one of them',
    when: isTable,
  })
  .refine((forge) => forge.kind === 'gitlab' || !entriesOf(forge.projects).some(isNested), {
    path: ['projects'],
    message: 'only GitLab has groups within groups; expected "owner/name", "owner/*" or "*"',
    when: isTable,
  });
export type ForgeSettings = z.output<typeof ForgeSettings>;

export const Forges = z
  .array(ForgeSettings)
  .min(1)
  .max(20)
  .refine((forges) => new Set(forges.map((forge) => forge?.id)).size === forges.length, {
    message: 'two forges have the same id; expected one id per forge',
    when: ({ value }) => Array.isArray(value),
  });
