/**
 * Sessions of people who logged in with an account of the forge. They are kept in memory, because their tokens are, and
 * end with the process. What a person may see is read from the forge again every minute. That takes a while for an
 * account with thousands of projects: a request waits some seconds for it, and nothing is shown before it has been read.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../shared/logger.ts';
import { SESSION_S } from '../../../shared/store/board/sessions.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import type { LoginForge, LoginMember } from './login-forge.ts';
import { NO_SIGHT, type Sight } from './sight.ts';

/** `unchecked`: the forge does not answer, so nothing may be shown. `ended`: there is no such session any more. */
export type MemberSight = Sight | 'unchecked' | 'ended';

export type MemberSessions = {
  /** Returns the id, which only the browser keeps. Contract: `member` has just logged in. */
  begin(member: LoginMember): string;
  find(id: string): Promise<MemberSight>;
  end(id: string): void;
};

export const CHECK_EVERY_MS = 60_000;
/** A visitor who comes after this time does not wait for the check that follows. */
const EARLY_CHECK_MS = 40_000;
/** A forge that does not answer is not asked again for this time. */
const AFTER_FAILURE_MS = 5_000;
const CHECK_LIMIT_MS = 45_000;
/** How long a request waits for a check. The check goes on afterwards. */
const WAIT_MS = 8_000;
const MOST = 500;
/** So that no account can end the sessions of all others. */
const MOST_OF_ONE = 10;

type Session = {
  readonly member: LoginMember;
  readonly untilMs: number;
  sight: Sight;
  /** When the check began that read `sight`. */
  checkedAtMs: number;
  failedAtMs: number;
  checking: Promise<MemberSight> | null;
};

export type MemberSessionDeps = {
  readonly forge: Pick<LoginForge, 'id' | 'isRefusal'>;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly most?: number;
  /** Replaced in tests. */
  readonly waitMs?: number;
};

type SightOf = (member: LoginMember) => Promise<Sight>;

/** Reads what a member may see again. A refusal of the forge ends the session. */
const createCheck =
  ({ forge, nowMs, log }: MemberSessionDeps, sessions: Map<string, Session>, sightOf: SightOf) =>
  async (id: string, session: Session): Promise<MemberSight> => {
    const begunAtMs = nowMs();
    try {
      session.sight = await sightOf(session.member);
      session.checkedAtMs = begunAtMs;
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

/** The oldest session of this account, or of all, ends if there are too many. */
const makeRoom = (sessions: Map<string, Session>, login: string, most: number): void => {
  const own = [...sessions.keys()].filter((id) => sessions.get(id)?.member.login === login);
  const [oldest] = own.length > MOST_OF_ONE ? own : sessions.keys();
  if ((own.length > MOST_OF_ONE || sessions.size > most) && oldest !== undefined) sessions.delete(oldest);
};

export const createMemberSessions = (deps: MemberSessionDeps): MemberSessions => {
  const { forge, nowMs, most = MOST, waitMs = WAIT_MS } = deps;
  const sessions = new Map<string, Session>();
  const sightOf: SightOf = async (member) => {
    const projects = await member.fetchProjects(timeLimit(CHECK_LIMIT_MS));
    return {
      isWhole: false,
      sees: (project) => project.forge === forge.id && projects.has(project.projectId),
    };
  };
  const check = createCheck(deps, sessions, sightOf);
  const checkOf = (id: string, session: Session): Promise<MemberSight> => {
    session.checking ??= check(id, session);
    return session.checking;
  };
  return {
    begin: (member) => {
      const id = randomBytes(32).toString('base64url');
      const atMs = nowMs();
      const untilMs = Math.min(atMs + SESSION_S * 1000, member.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const never = Number.NEGATIVE_INFINITY;
      const unread = { sight: NO_SIGHT, checkedAtMs: never, failedAtMs: never, checking: null };
      const session: Session = { member, untilMs, ...unread };
      sessions.set(id, session);
      makeRoom(sessions, member.login, most);
      void checkOf(id, session);
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
      const ageMs = atMs - session.checkedAtMs;
      const mayAsk = atMs >= session.failedAtMs + AFTER_FAILURE_MS;
      if (ageMs < CHECK_EVERY_MS) {
        if (ageMs >= EARLY_CHECK_MS && mayAsk) void checkOf(id, session);
        return session.sight;
      }
      return mayAsk ? within(checkOf(id, session), waitMs) : 'unchecked';
    },
    end: (id) => void sessions.delete(id),
  };
};

/** Contract: `checking` never rejects. */
const within = async (checking: Promise<MemberSight>, limitMs: number): Promise<MemberSight> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'unchecked'>((resolve) => {
    timer = setTimeout(() => resolve('unchecked'), limitMs);
  });
  try {
    return await Promise.race([checking, late]);
  } finally {
    clearTimeout(timer);
  }
};
