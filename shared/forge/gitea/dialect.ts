/** Gitea is like Forgejo, which was made from it, except for the following. */
import type { Dialect } from '../dialect/dialect.ts';
import { FORGEJO_DIALECT } from '../forgejo/dialect.ts';
import { parseForgejoOwners } from '../forgejo/parse-forgejo-owners.ts';
import { apiPath } from '../path.ts';

export const GITEA_DIALECT: Dialect = {
  ...FORGEJO_DIALECT,
  facts: { ...FORGEJO_DIALECT.facts, name: 'Gitea', tokenEnv: 'GITEA_TOKEN' },
  administer: async (http) => (await import('../forgejo/administer.ts')).administerForgejo('gitea')(http),
  // https://docs.gitea.com/api/#tag/miscellaneous/operation/getVersion
  versionPath: apiPath`/api/v1/version`,
  codeOwners: {
    places: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'],
    parse: (text) => parseForgejoOwners(text, { dropsSlash: true }),
  },
};
