import type { Clock } from '../clock.ts';
import { type ForgeHttp, parseBaseUrl } from '../http.ts';
import type { Forge } from '../port.ts';
import { readsApprovals, readsBranches } from './project/branches.ts';
import { readsChangeRequest } from './change-request.ts';
import { readsClosedIssues } from './closes-issues.ts';
import type { GitlabContext } from './api/context.ts';
import type { UnsetStatus } from '../port-statuses.ts';
import { clearLeftovers } from './draft-notes.ts';
import { fetchSelf, marksBots, rememberSelf } from './project/identity.ts';
import { findsNames, readsFiles } from './project/owners.ts';
import { readsPermission } from './project/permission.ts';
import { readsHooks } from './project/list-hooks.ts';
import { listsChangeRequests } from './list-open.ts';
import { listsProjects } from './project/list-projects.ts';
import { locatesGit, readsProject, rememberProjectUrls } from './project/project.ts';
import { readsComments } from './read-comments.ts';
import type { GitlabApi } from './api/requester.ts';
import { readsCiReports } from './status/ci-reports.ts';
import { readsChecks, readsStatuses } from './status/statuses.ts';
import { readsThumbs } from './read-thumbs.ts';
import { submitReview } from './submit-review.ts';
import type { GitlabTraits } from './api/traits.ts';
import { writesVerdicts } from './verdicts.ts';
import { writesStatuses } from './status/write-status.ts';
import { answersThreads, deletesComments, reacts, resolvesThreads, writesComments } from './write-comments.ts';

export type GitlabParts = {
  readonly http: ForgeHttp;
  readonly api: GitlabApi;
  readonly traits: GitlabTraits;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly onStatusUnset: (unset: UnsetStatus) => void;
};

export const createGitlab = ({ http, api, traits, baseUrl, clock, onStatusUnset }: GitlabParts): Forge => {
  const context: GitlabContext = {
    api,
    http,
    traits,
    base: parseBaseUrl(baseUrl),
    clock,
    self: rememberSelf(api),
    projectUrl: rememberProjectUrls(api),
    onStatusUnset,
  };
  return {
    id: http.forgeId,
    read: {
      fetchSelf: (signal) => fetchSelf(api, signal),
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
    botMarks: marksBots(context),
    ciReports: readsCiReports(context),
  };
};
