import { describe, expect, it } from 'vitest';
import { Author } from '../../../shared/config/author-settings.ts';

const parsed = (author: object) => Author.safeParse({ enabled: true, ...author });

describe('an author that is switched on', () => {
  it.each(['command', 'messages'] as const)('as "%s" has a program by its absolute path', (agent) => {
    for (const command of [[], ['fix'], ['./fix']]) {
      const { error } = parsed({ agent, command });
      expect(error?.issues).toMatchObject([{ path: ['command'] }]);
    }
    expect(parsed({ agent, command: ['/opt/fix', '--quick'] }).success).toBe(true);
  });

  it.each(['agent', 'claude-code'])('as "%s" needs none', (agent) => {
    expect(parsed({ agent }).success).toBe(true);
  });
});

it('works in the cage only as a program', () => {
  const command = ['/opt/fix'];
  expect(parsed({ command })).toMatchObject({ data: { caged: false } });
  for (const agent of ['command', 'messages']) expect(parsed({ agent, command, caged: true }).success).toBe(true);
  for (const agent of ['agent', 'claude-code']) {
    expect(parsed({ agent, caged: true }).error?.issues).toMatchObject([{ path: ['caged'] }]);
  }
});

it('needs no program while it is off', () => {
  expect(parsed({ enabled: false, agent: 'messages' }).success).toBe(true);
});
