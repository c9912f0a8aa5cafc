/**
 * Sessions of people who logged in with an account of the forge. They are kept in memory, because their tokens are, and
 * end with the process. What a person may see is read from the forge again every minute.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../shared/logger.ts';
import { SESSION_S } from '../../../shared/store/board/sessions.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import type { LoginForge, LoginMember } from './login-forge.ts';
import type { Sight } from './sight.ts';

/** `unchecked`: the forge does not answer, so nothing may be shown. `ended`: there is no such session any more. */
export type MemberSight = Sight | 'unchecked' | 'ended';

export type MemberSessions = {
  /** Returns the id, which only the browser keeps. Contract: `member` has just logged in. @throws if the forge does not answer */
  begin(member: LoginMember): Promise<string>;
  find(id: string): Promise<MemberSight>;
  end(id: string): void;
};

export const CHECK_EVERY_MS = 60_000;
/** A forge that does not answer is not asked again for this time. */
const AFTER_FAILURE_MS = 5_000;
const CHECK_LIMIT_MS = 8_000;
const MOST = 500;
/** So that no account can end the sessions of all others. */
const MOST_OF_ONE = 10;

type Session = {
  readonly member: LoginMember;
  readonly untilMs: number;
  sight: Sight;
  checkedAtMs: number;
  failedAtMs: number;
  checking: Promise<MemberSight> | null;
};

export type MemberSessionDeps = {
  readonly forge: Pick<LoginForge, 'id' | 'isRefusal'>;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly most?: number;
};

type SightOf = (member: LoginMember) => Promise<Sight>;

/** Reads what a member may see again. A refusal of the forge ends the session. */
const createCheck =
  ({ forge, nowMs, log }: MemberSessionDeps, sessions: Map<string, Session>, sightOf: SightOf) =>
  async (id: string, session: Session): Promise<MemberSight> => {
    try {
      session.sight = await sightOf(session.member);
      session.checkedAtMs = nowMs();
      return sessions.has(id) ? session.sight : 'ended';
    } catch (error) {
      session.failedAtMs = nowMs();
      if (!forge.isRefusal(error)) {
        log.warn({ err: error }, 'the projects of a visitor could not be read from the forge');
        return 'unchecked';
      }
      sessions.delete(id);
      return 'ended';
    } finally {
      session.checking = null;
    }
  };

export const createMemberSessions = (deps: MemberSessionDeps): MemberSessions => {
  const { forge, nowMs, most = MOST } = deps;
  const sessions = new Map<string, Session>();
  const sightOf: SightOf = async (member) => {
    const projects = await member.fetchProjects(timeLimit(CHECK_LIMIT_MS));
    return {
      isWhole: false,
      sees: (project) => project.forge === forge.id && projects.has(project.projectId),
    };
  };
  const check = createCheck(deps, sessions, sightOf);
  return {
    begin: async (member) => {
      const sight = await sightOf(member);
      const id = randomBytes(32).toString('base64url');
      const atMs = nowMs();
      const untilMs = Math.min(atMs + SESSION_S * 1000, member.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const never = Number.NEGATIVE_INFINITY;
      sessions.set(id, { member, untilMs, sight, checkedAtMs: atMs, failedAtMs: never, checking: null });
      const own = [...sessions.keys()].filter((each) => sessions.get(each)?.member.login === member.login);
      const [oldest] = own.length > MOST_OF_ONE ? own : sessions.keys();
      if ((own.length > MOST_OF_ONE || sessions.size > most) && oldest !== undefined) sessions.delete(oldest);
      return id;
    },
    find: async (id) => {
      const session = sessions.get(id);
      if (session === undefined) return 'ended';
      const atMs = nowMs();
      if (atMs >= session.untilMs) {
        sessions.delete(id);
        return 'ended';
      }
      if (atMs < session.checkedAtMs + CHECK_EVERY_MS) return session.sight;
      if (atMs < session.failedAtMs + AFTER_FAILURE_MS) return 'unchecked';
      session.checking ??= check(id, session);
      return session.checking;
    },
    end: (id) => void sessions.delete(id),
  };
};
