/** This header works for personal, project and group access tokens: https://docs.gitlab.com/api/rest/authentication/ */
export const gitlabTokenHeader = (token: string) => ({ 'private-token': token });
