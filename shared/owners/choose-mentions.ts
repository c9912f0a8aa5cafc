/** Chooses who is mentioned when a person must decide: the first group of the chain that is not empty. */
import type { Account } from '../forge/port-facts.ts';

/** With more names, each person would expect one of the others to act. */
export const MAX_MENTIONS = 3;

export type Chain = {
  /** Code owners that the forge knows as accounts, in order of preference. */
  readonly owners: readonly Account[];
  /** Groups and teams that are code owners. */
  readonly groups: readonly string[];
  /** Reviewers of the change request, then its assignees. */
  readonly reviewers: readonly Account[];
  /** Logins that the operator has named. */
  readonly operators: readonly string[];
  readonly author: Account;
};

export type MentionRules = {
  readonly isBot: (account: Account) => boolean;
  /** The bot's own login, which an operator may have named. */
  readonly botLogin: string;
  readonly mentionGroups: boolean;
};

export type Mentions = {
  readonly names: readonly string[];
  /** Null when nobody in the chain can be mentioned. */
  readonly from: 'owners' | 'groups' | 'reviewers' | 'operators' | 'author' | null;
};

/** Deleted accounts have no positive id. */
const isThere = ({ id }: Account): boolean => id > 0;

/** The author comes last, even if they own the file or are a reviewer. */
export const chooseMentions = (chain: Chain, rules: MentionRules): Mentions => {
  const isHuman = (account: Account): boolean => isThere(account) && !rules.isBot(account);
  const others = (accounts: readonly Account[]): readonly string[] =>
    accounts.filter((account) => isHuman(account) && account.id !== chain.author.id).map(({ login }) => login);
  const links: readonly (readonly [NonNullable<Mentions['from']>, readonly string[]])[] = [
    ['owners', others(chain.owners)],
    ['groups', rules.mentionGroups ? chain.groups : []],
    ['reviewers', others(chain.reviewers)],
    ['operators', chain.operators.filter((login) => !isSame(login, rules.botLogin))],
    ['author', isHuman(chain.author) ? [chain.author.login] : []],
  ];
  for (const [from, names] of links) {
    const some = unique(names.filter((name) => !isSame(name, 'all'))).slice(0, MAX_MENTIONS);
    if (some.length > 0) return { names: some, from };
  }
  return { names: [], from: null };
};

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const unique = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.findIndex((other) => isSame(name, other)) === index);
