import { factsOf } from '../../../../shared/forge/kinds/forge-kind.ts';
import { type SetupFacts, type MemberPlace, placeName, SETUP_TOKEN } from './facts.ts';
import { blocked, done, type SetupStep, todo } from './step.ts';

const USE_ADMIN = `use the token of an administrator of the project, in ${SETUP_TOKEN}`;

export const planMembers = ({ members, bot, forge }: SetupFacts): readonly SetupStep[] =>
  members.map(({ owner, standing }: MemberPlace): SetupStep => {
    const name = placeName(owner);
    const fix = factsOf(forge.kind).grantWriting;
    switch (standing) {
      case 'enough':
        return done('member', `${name}: ${bot.login} has write access`);
      case 'none':
        return todo('member', `${name}: add ${bot.login} with permission to write`, [{ kind: 'add_member', owner }]);
      case 'less':
        return blocked('member', `${name}: ${bot.login} is a member without write access`, fix);
      case 'forbidden':
        return blocked('member', `${name}: the token cannot tell whether ${bot.login} has write access`, USE_ADMIN);
      default:
        return standing satisfies never;
    }
  });
