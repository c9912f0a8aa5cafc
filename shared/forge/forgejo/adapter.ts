import type { Clock } from '../clock.ts';
import { type ForgeHttp, parseBaseUrl } from '../http.ts';
import type { Forge } from '../port.ts';
import type { ForgeTraits } from './api/traits.ts';
import { readsApprovals, readsBranches } from './branches.ts';
import { readsChecks } from './checks.ts';
import { readsChangeRequest, readsClosedIssues } from './change-request.ts';
import type { ForgejoContext } from './api/context.ts';
import { fetchSelf, findsNames, rememberSelf } from './identity.ts';
import { clearLeftovers } from './leftovers.ts';
import { readsPermission } from './permission.ts';
import { readsHooks } from './list-hooks.ts';
import { listsChangeRequests } from './list-open.ts';
import { listsProjects } from './list-projects.ts';
import { locatesGit, readsFiles, readsProject } from './project.ts';
import { createProjectPaths } from './api/project-paths.ts';
import { readsComments } from './read-comments.ts';
import { readsStatuses, writesStatuses } from './statuses.ts';
import { submitReview } from './submit-review.ts';
import { answersThreads, resolvesThreads } from './threads.ts';
import { writesVerdicts } from './verdicts.ts';
import { reacts, readsThumbs } from './react.ts';
import { deletesComments, writesComments } from './write-comments.ts';

export type ForgejoParts = {
  readonly http: ForgeHttp;
  readonly traits: ForgeTraits;
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Whether the bot may have edited a review with this body. When absent, the bot never edits reviews. */
  readonly isEdited?: (body: string) => boolean;
};

export const createForgejo = ({ http, traits, baseUrl, clock, isEdited = () => false }: ForgejoParts): Forge => {
  const projects = createProjectPaths(http, clock);
  const context: ForgejoContext = {
    http,
    traits,
    base: parseBaseUrl(baseUrl),
    projects,
    self: rememberSelf(http),
    isEdited,
    answered: new Map(),
    reviewsBehind: new WeakMap(),
  };
  return {
    id: http.forgeId,
    read: {
      fetchSelf: (signal) => fetchSelf(http, signal),
      ...readsChangeRequest(context),
      ...readsClosedIssues(context),
      ...listsChangeRequests(context),
      ...listsProjects(context),
      ...readsHooks(context),
      ...readsProject(context),
      ...readsComments(context),
      ...readsPermission(context),
      ...readsBranches(context),
      ...readsApprovals(context),
      ...readsStatuses(context),
      ...readsChecks(context),
      ...readsFiles(context),
      ...findsNames(context),
      ...readsThumbs(context),
      ...locatesGit(context),
    },
    write: {
      ...writesComments(context),
      submitReview: submitReview(context),
      clearLeftovers: clearLeftovers(context),
      ...writesStatuses(context),
      ...writesVerdicts(context),
      ...deletesComments(context),
      ...reacts(context),
    },
    threads: answersThreads(context),
    resolving: resolvesThreads(context),
    // Neither Forgejo nor Gitea marks bot accounts: https://codeberg.org/api/swagger#/user/userGet
    botMarks: null,
    ciReports: null,
  };
};
