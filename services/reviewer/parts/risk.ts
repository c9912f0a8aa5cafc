/** Which files of a change are reviewed first when not all can be: authentication, money, migrations. By path only. */
import { isProse } from '../../../shared/rules/model/language.ts';

const WORDS = new Set(
  (
    'auth authn authz authentication authorization authorize login logout session sessions password passwords token tokens ' +
    'oauth oidc saml sso permission permissions privilege privileges acl rbac crypto cipher secret secrets security csrf ' +
    'payment payments pay billing invoice invoices price prices pricing money refund refunds charge charges wallet ledger ' +
    'tax discount discounts migration migrations migrate schema'
  ).split(' '),
);

/** The words of a path: `src/userAuth/reset_password.ts` has `user`, `auth`, `reset` and `password`. */
const wordsIn = (path: string): readonly string[] =>
  path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** True for files that change what is stored, and for those whose path has a word of risk. */
export const isRisky = (path: string): boolean =>
  !isProse(path) && (/\.sql$/i.test(path) || wordsIn(path).some((word) => WORDS.has(word)));
