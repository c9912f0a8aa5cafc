import { z } from 'zod';
import { hasAccess } from './access.ts';
import { bodyOf, type Call, pullOf, type Route, repoOf, signedIn } from './call.ts';
import { findUser } from './find.ts';
import { empty, json, type Reply } from './reply.ts';
import { reviewJson, userJson } from './represent.ts';
import { requestReview, withdrawRequest } from './reviewers.ts';

const Wish = z.object({ reviewers: z.array(z.string()).nullish(), team_reviewers: z.array(z.string()).nullish() });

const request = (call: Call): Reply => {
  const actor = signedIn(call);
  const pull = pullOf(call);
  const { reviewers } = bodyOf(call, Wish);
  const users = (reviewers ?? []).map((login) => findUser(call.world, login));
  const made = users.flatMap((user) => requestReview(call.world, pull, user, actor) ?? []);
  return json(
    201,
    made.map((review) => reviewJson(call.world, pull, review)),
  );
};

const withdraw = (call: Call): Reply => {
  const actor = signedIn(call);
  const pull = pullOf(call);
  const { reviewers } = bodyOf(call, Wish);
  for (const login of reviewers ?? []) withdrawRequest(call.world, pull, findUser(call.world, login), actor);
  return empty(204);
};

const listReviewers = (call: Call): Reply => {
  const repo = repoOf(call);
  const able = call.world.users.filter((user) => !user.deleted && hasAccess(user, repo, 'read'));
  return json(
    200,
    able.map((user) => userJson(call.world, user)),
  );
};

/** The simulator's projects belong to users; only organisations have teams (routers/api/v1/repo/teams.go). */
const listTeams = (call: Call): Reply => {
  repoOf(call);
  return json(405, { message: 'repo is not owned by an organization', url: '' });
};

const at = '/repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

export const reviewerRoutes: readonly Route[] = [
  { method: 'POST', path: at, category: 'repository', handle: request },
  { method: 'DELETE', path: at, category: 'repository', handle: withdraw },
  { method: 'GET', path: '/repos/{owner}/{repo}/teams', category: 'repository', handle: listTeams },
  { method: 'GET', path: '/repos/{owner}/{repo}/reviewers', category: 'repository', handle: listReviewers },
];
