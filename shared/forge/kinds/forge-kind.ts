/** The kinds of forges. Each kind is a folder beside this one and a row of this table; no other file names a kind. */
import { z } from 'zod';
import type { Dialect } from '../dialect/dialect.ts';
import type { ForgeFacts } from '../dialect/forge-facts.ts';
import { FORGEJO_DIALECT } from '../forgejo/dialect.ts';
import { GITEA_DIALECT } from '../gitea/dialect.ts';
import { GITLAB_DIALECT } from '../gitlab/dialect.ts';

/** The order in which an unknown forge is asked for its kind: Forgejo also answers Gitea's requests. */
const ROWS = {
  forgejo: FORGEJO_DIALECT,
  gitea: GITEA_DIALECT,
  gitlab: GITLAB_DIALECT,
} satisfies Readonly<Record<string, Dialect>>;

export type ForgeKind = keyof typeof ROWS;

export const DIALECTS: Readonly<Record<ForgeKind, Dialect>> = ROWS;

// Safe cast: these are the keys of the table.
const KINDS = Object.keys(ROWS) as [ForgeKind, ...ForgeKind[]];

export const ForgeKind = z.enum(KINDS);

/** For places where the kind does not matter. */
export const [ANY_KIND] = KINDS;

export const factsOf = (kind: ForgeKind): ForgeFacts => DIALECTS[kind].facts;

/** British English: no comma before "or". */
const CHOICE = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Lists the kinds by a fact, such as "Forgejo, Gitea or GitLab". */
export const listKinds = (
  tell: (facts: ForgeFacts, kind: ForgeKind) => string,
  kinds: readonly ForgeKind[] = ForgeKind.options,
): string => CHOICE.format(kinds.map((kind) => tell(factsOf(kind), kind)));

type Ability = 'signingTokens' | 'nestedGroups' | 'ciArtifacts';

/** The names of the kinds that have an ability. */
export const nameAble = (ability: Ability): string =>
  listKinds(
    ({ name }) => name,
    ForgeKind.options.filter((kind) => factsOf(kind)[ability]),
  );
