/** Chooses the people that one comment mentions. */
import { type Account, type ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { chooseMentions, MAX_MENTIONS } from '../../../shared/owners/choose-mentions.ts';
import type { PersonCall } from '../../../shared/rounds/model/posting/post-plan.ts';
import { type Calling, isBot } from './call-forge.ts';
import type { FindOwners } from './find-owners.ts';

/** If `calls` is undefined, only the operators are mentioned. */
export const chooseCalled = async (
  calling: Calling,
  findOwners: FindOwners,
  calls: PersonCall | undefined,
): Promise<readonly string[]> => {
  const { facts, settings, log } = calling;
  const chain = calls === undefined ? ONLY_OPERATORS : await readChain(calling, findOwners, calls);
  const { names, from } = chooseMentions(
    { ...chain, author: calls === undefined ? NOBODY : facts.author, operators: settings.operators },
    { isBot: ({ id }) => chain.bots.has(id), botLogin: calling.forge.botLogin, mentionGroups: settings.mentionGroups },
  );
  if (from === null)
    log.warn({ operators: settings.operators.length }, 'a person must decide, but there is nobody to mention');
  else log.info({ from, count: names.length }, 'mentioning a person');
  return names;
};

type Chain = {
  readonly owners: readonly Account[];
  readonly groups: readonly string[];
  readonly reviewers: readonly Account[];
  readonly bots: ReadonlySet<number>;
};

/** A placeholder whose id belongs to no account. */
const NOBODY: Account = { id: -1, login: '' };
const ONLY_OPERATORS: Chain = { owners: [], groups: [], reviewers: [], bots: new Set() };

/** Finds enough people to mention, and stops asking the forge which accounts are bots once there are enough. */
const readChain = async (calling: Calling, findOwners: FindOwners, { paths }: PersonCall): Promise<Chain> => {
  const { facts, settings, forge } = calling;
  const { people: owners, groups } = await findOwners(paths);
  const bots = new Set(forge.botIds);
  if (owners.length > 0 || (settings.mentionGroups && groups.length > 0))
    return { owners, groups, reviewers: [], bots };
  const reviewers = await firstPeople(calling, reviewersOf(facts));
  if (reviewers.length === 0 && settings.operators.length === 0 && (await isBot(calling, facts.author)))
    bots.add(facts.author.id);
  return { owners, groups, reviewers, bots };
};

const reviewersOf = ({ reviewers, assignees = [], author }: ChangeRequestFacts): readonly Account[] =>
  [...reviewers, ...assignees].filter(({ id }) => id !== author.id && id > 0);

const MAX_ASKED = 10;

const firstPeople = async (calling: Calling, accounts: readonly Account[]): Promise<readonly Account[]> => {
  const people: Account[] = [];
  for (const account of accounts.slice(0, MAX_ASKED)) {
    if (people.length >= MAX_MENTIONS) break;
    if (!(await isBot(calling, account))) people.push(account);
  }
  return people;
};
