import { afterAll } from 'vitest';
import { describeForge } from './conformance.ts';
import { type GitlabHall, startGitlabHall } from './gitlab-world.ts';

let hall: Promise<GitlabHall> | null = null;
afterAll(async () => {
  await (await hall)?.close();
});

describeForge('the adapter on GitLab 18', async (totalMs) => {
  hall ??= startGitlabHall();
  return (await hall).open(totalMs);
});
